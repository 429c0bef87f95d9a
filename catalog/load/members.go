package load

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// A member is a member of a record as the history compares it.
type member struct {
	name  string
	value string       // compact JSON
	path  string       // of its file; "": that of the record
	read  catalog.Date // of evidence: the newest day of a reading that holds
}

// A flatRecord is a record as the history sees it: a list of members.
type flatRecord struct {
	path    string // of its file
	members []member
}

// flatten returns every record that has a history, by the id that the history gives it. Observations of programs are
// not of it: the link checker's last_checked and http_status.
func flatten(src *source) map[string]flatRecord {
	all := make(map[string]flatRecord)
	for _, e := range src.Entries {
		all[e.ID] = flatRecord{src.paths[e], omit(membersOf(e), "last_checked", "http_status")}
	}
	for _, p := range src.Protocols {
		all["protocol:"+p.ID] = flatRecord{src.paths[p], slices.Concat(factMembers(membersOf(p)), assetMembers(src, p.ID), versionMembers(src, p.ID))}
	}
	for _, p := range src.Profiles {
		all["profile:"+p.ID] = flatRecord{src.paths[p], profileMembers(p)}
	}
	for _, f := range src.Flows {
		all["flow:"+f.ID] = flatRecord{src.paths[f], stepMembers(f)}
	}
	for _, a := range src.Articles {
		all["article:"+a.ID] = flatRecord{src.paths[a], append(membersOf(a), sections("body", a.Body)...)}
	}
	for _, d := range src.Datasets {
		all["dataset:"+d.ID] = flatRecord{src.paths[d], append(membersOf(d), sections("readme", d.Readme)...)}
	}
	for _, b := range src.Bots {
		all["bot:"+b.ID] = flatRecord{src.paths[b], membersOf(b)}
	}
	if len(src.Support.Methods) > 0 {
		all["support:support-document"] = flatRecord{supportFile, membersOf(src.Support)}
	}
	all["support:trust-checklist"] = flatRecord{trustFile, append(checkMembers(src.Trust), siteMembers(src)...)}
	addDigests(all, src)
	for _, w := range src.Withdrawn {
		if _, published := all[w.Record]; !published {
			all[w.Record] = flatRecord{withdrawnFile, []member{{name: withdrawnMember, value: compact(w)}}}
		}
	}
	return all
}

// withdrawnMember is the only member of a record that is withdrawn.
const withdrawnMember = "withdrawn"

// siteMembers returns the texts of the site and its vocabularies, which are told with the checklist.
func siteMembers(src *source) []member {
	list := []member{{name: "repositories", value: digest(src.Sites), path: repositoriesFile}}
	if !src.broken[siteFile] {
		list = append(list, member{name: "site", value: compact(src.Identity), path: siteFile})
		if src.Identity.Logo != "" {
			list = append(list, member{name: "logo", value: digest(src.Identity.Logo), path: logoFile})
		}
	}
	if !src.broken[categoriesFile] {
		list = append(list, member{name: "categories", value: compact(src.Categories), path: categoriesFile})
	}
	for _, t := range src.Tags {
		list = append(list, member{name: "tags[" + t.ID + "]", value: compact(t.Label), path: tagsFile})
	}
	return list
}

// addDigests adds the evidence, the statements and the questions of each record, by their hashes: the history says that
// they changed, and their documents have the values.
func addDigests(all map[string]flatRecord, src *source) {
	add := func(record string, m member) {
		if kind, id := catalog.HistoryRecord(record); kind == "protocol" && all[record].path == "" {
			record = "profile:" + id // a protocol of which no facts are known
		}
		if r, ok := all[record]; ok {
			r.members = append(r.members, m)
			all[record] = r
		}
	}
	for _, e := range src.Evidence {
		for _, m := range e.Members {
			add(e.Record, member{name: evidenceName(m.Member), value: digest(m.Readings), path: src.paths[e], read: m.ReadAt()})
		}
	}
	for _, s := range src.Statements {
		add(s.Record, member{name: "statements", value: digest(s.Statements), path: src.paths[s]})
	}
	for _, k := range src.Clients {
		add("dataset:"+catalog.ClientDataset, member{name: "clients[" + k.ID + "]", value: digest(k), path: clientFile})
	}
	for _, s := range src.Shapes {
		add("dataset:"+catalog.ClientDataset, member{name: "shapes[" + s.ID + "]", value: digest(s), path: shapeFile})
	}
	for _, q := range src.Questions {
		if len(q.Questions) > 0 {
			add(q.Record, member{name: "questions", value: digest(q.Questions), path: src.paths[q]})
		}
		if len(q.Passages) > 0 {
			add(q.Record, member{name: "passages", value: digest(q.Passages), path: src.paths[q]})
		}
	}
}

// evidenceName returns the name of the evidence for a member.
func evidenceName(name string) string { return "evidence[" + name + "]" }

func compact(v any) string { return string(wirejson.Must(wirejson.Compact(v))) }

// digest returns the hash of a value as a JSON string.
func digest(v any) string {
	sum := sha256.Sum256([]byte(compact(v)))
	return `"sha256:` + hex.EncodeToString(sum[:]) + `"`
}

// membersOf returns the members of a record in the order of its file.
func membersOf(record any) []member { return objectMembers(wirejson.Must(wirejson.Compact(record))) }

// objectMembers returns the members of a JSON object, which is well formed.
func objectMembers(object []byte) []member {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.Token()
	var list []member
	for dec.More() {
		key, _ := dec.Token()
		var value json.RawMessage
		dec.Decode(&value)
		list = append(list, member{name: key.(string), value: string(value)})
	}
	return list
}

// factMembers spreads the facts of a protocol into value, source and day.
func factMembers(members []member) []member {
	var list []member
	for _, m := range members {
		if !strings.HasPrefix(m.value, "{") {
			if m.value != "null" {
				list = append(list, m)
			}
			continue
		}
		for _, part := range objectMembers([]byte(m.value)) {
			list = append(list, member{name: m.name + "." + part.name, value: part.value})
		}
	}
	return list
}

// profileMembers spreads the readings of a profile into value, source, day and so on, and its events by their versions.
func profileMembers(p *catalog.Profile) []member {
	list := factMembers(omit(membersOf(p), "events"))
	for _, e := range p.Events {
		list = append(list, evidenceMembers("events["+e.Version+"]", e)...)
	}
	return list
}

// stepMembers spreads the steps of a flow.
func stepMembers(f *catalog.Flow) []member {
	list := omit(membersOf(f), "steps")
	for i, s := range f.Steps {
		list = append(list, evidenceMembers("steps["+strconv.Itoa(i+1)+"]", s)...)
	}
	return list
}

// evidenceMembers returns a value with its day apart, so that one that was only read again is known as such.
func evidenceMembers(name string, value any) []member {
	members := membersOf(value)
	rest := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.name == "verified_at" })
	return []member{{name: name, value: objectOf(rest)}, {name: name + ".verified_at", value: flatRecord{members: members}.value("verified_at")}}
}

// objectOf returns members as one JSON object.
func objectOf(members []member) string {
	parts := catalog.Convert(members, func(m member) string {
		return strconv.Quote(m.name) + ":" + m.value // names of members are plain words
	})
	return "{" + strings.Join(parts, ",") + "}"
}

// assetMembers returns the assets of a protocol's networks, which belong to its facts.
func assetMembers(src *source, protocol string) []member {
	var list []member
	for _, r := range src.Assets {
		for _, a := range r.Assets {
			if r.Protocol == protocol {
				list = append(list, member{name: "assets[" + a.CAIP2 + " " + a.Contract + "]", value: compact(a)})
			}
		}
	}
	return list
}

// versionMembers spreads the facts of the earlier versions of a protocol, under the names of their evidence.
func versionMembers(src *source, protocol string) (list []member) {
	path := VersionsFile(protocol)
	for _, v := range versionsOf(src, protocol) {
		for _, f := range v.Fields() {
			list = append(list, member{name: f.Name + ".value", value: compact(f.Value), path: path})
			if f.VerifiedAt != "" {
				list = append(list, member{name: f.Name + ".source", value: compact(f.Source), path: path},
					member{name: f.Name + ".verified_at", value: compact(f.VerifiedAt), path: path})
			}
		}
	}
	return list
}

// checkMembers spreads the promises of the trust checklist.
func checkMembers(r catalog.TrustRecord) []member {
	list := omit(membersOf(r), "checks")
	for _, c := range r.Checks {
		list = append(list, member{name: "checks[" + c.ID + "]", value: compact(c)})
	}
	return list
}

// sections spreads a Markdown text into its sections, the first of which has no heading.
func sections(name, text string) []member {
	list := []member{{name: name}}
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if heading, ok := strings.CutPrefix(line, "## "); ok && !fenced {
			list = append(list, member{name: name + "[" + strings.TrimSpace(heading) + "]"})
		}
		list[len(list)-1].value += line
	}
	for i := range list {
		list[i].value = compact(list[i].value)
	}
	return list
}

func omit(members []member, names ...string) []member {
	return slices.DeleteFunc(members, func(m member) bool { return slices.Contains(names, m.name) })
}

// member returns a member; one that is not there is null.
func (r flatRecord) member(name string) member {
	if i := slices.IndexFunc(r.members, func(m member) bool { return m.name == name }); i >= 0 {
		return r.members[i]
	}
	return member{name: name, value: "null"}
}

// value returns a member's value.
func (r flatRecord) value(name string) string { return r.member(name).value }

// file returns the path of the file that has a member.
func (r flatRecord) file(name string) string { return cmp.Or(r.member(name).path, r.path) }

// changes returns the members that differ between two versions of a record, in the order of the new one and then of
// those that it no longer has.
func (r flatRecord) changes(old flatRecord) []catalog.MemberChange {
	list := []catalog.MemberChange{}
	seen := make(set)
	if r.value(withdrawnMember) != "null" {
		old.members = nil // the history has them
	}
	for _, m := range slices.Concat(r.members, old.members) {
		if was, is := old.value(m.name), r.value(m.name); was != is && !seen[m.name] {
			list = append(list, catalog.MemberChange{Name: m.name, Old: json.RawMessage(was), New: json.RawMessage(is)})
		}
		seen[m.name] = true
	}
	return list
}
