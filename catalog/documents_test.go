package catalog_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/problem"
)

// A testDocument is a document with the name of its schema.
type testDocument struct {
	schema, name string
	value        any
}

// testDocuments returns every document that the catalog builds, and an example of each that the
// packages above build.
func testDocuments(t testing.TB, c *catalog.Catalog) []testDocument {
	docs := []testDocument{
		{"category-index", "categories", c.CategoryIndex()},
		{"tag-index", "tags", c.TagIndex()},
		{"protocol-facts", "protocols", c.Protocols()},
		{"protocol-choices", "profiles", c.Choices()},
		{"protocol-chooser", "chooser", c.Chooser()},
		{"change-index", "days", c.ChangeIndex()},
		{"history-index", "days of the history", c.HistoryIndex()},
		{"history-day", "a day without history", c.History("2001-01-01")},
		{"change-list", "a day without changes", c.Changes("2001-01-01")},
		{"support", "payments off", c.WithPayments(catalog.PaymentsOff).Support()},
		{"support", "payments live", c.WithPayments(catalog.PaymentsLive).Support()},
		{"dataset-index", "datasets", c.DatasetIndex()},
		{"article-index", "articles", c.ArticleIndex()},
		{"news", "news", c.NewsDocument()},
		{"trust", "trust", c.Trust()},
		{"links", "before the first round", c.LinkDocument()},
		{"bot", "bot", c.BotDocument()},
		{"connect", "connect", c.Connect()},
		{"privacy", "privacy", c.Privacy()},
		{"clients", "clients", c.ClientsDocument()},
		{"explain", "explain", c.Explain()},
		{"calendar", "calendar", c.Calendar()},
		{"search-index", "search index", json.RawMessage(`{"schema_version":"1","generated_at":"2026-11-21T12:00:00Z","complete":true,"count":1,
			"records":[{"id":"protocol:l402","kind":"protocol","title":"L402","line":"Lightning.","path":"/protocols/l402/"}]}`)},
		{"index", "index", json.RawMessage(`{"schema_version":"1","generated_at":"2026-11-21T12:00:00Z","$schema":"` + c.Site().URL(catalog.SchemaPath("index")) + `",
			"name":"almanac","description":"Reference data.","verified_by":"the curators","contact":null,"license_url":"https://example.org/licence/","mcp_url":"https://almanac.example/mcp","search_url":"https://almanac.example/v1/search",
			"openapi_url":"https://almanac.example/openapi.json","manifest_url":"https://almanac.example/manifest.json","entries":185,
			"documents":[{"name":"tags","title":"Tags","description":"All tags.","forms":[{"media_type":"text/html","url":"https://almanac.example/tags/"}]}]}`)},
	}
	for _, id := range c.ProtocolPageIDs() {
		docs = append(docs, testDocument{"protocol", id, c.ProtocolDocument(id)})
	}
	for _, id := range c.FactIDs() {
		docs = append(docs, testDocument{"fact", id, c.Fact(id)})
	}
	for _, s := range c.Shapes() {
		docs = append(docs, testDocument{"vector", s.ID, c.Vector(s.ID)})
	}
	for _, a := range c.Articles() {
		docs = append(docs, testDocument{"article", a.ID, c.ArticleDocument(a, a.Body)})
	}
	for _, k := range c.Categories() {
		docs = append(docs, testDocument{"library", k.ID, c.CategoryList(k.ID, c.InCategory(k.ID))})
	}
	for _, tag := range c.Tags() {
		docs = append(docs, testDocument{"tag-list", tag.ID, c.TagList(tag.ID, c.WithTag(tag.ID))})
	}
	for _, e := range c.Entries() {
		docs = append(docs, testDocument{"entry", e.ID, c.EntryDocument(e)})
	}
	for _, day := range c.ChangeDays() {
		docs = append(docs, testDocument{"change-list", string(day), c.Changes(day)})
	}
	for _, day := range c.HistoryDays() {
		docs = append(docs, testDocument{"history-day", string(day), c.History(day)})
	}
	for _, id := range c.VersionedIDs() {
		doc, _ := c.VersionDocument(id)
		docs = append(docs, testDocument{"versions", id, doc})
	}
	for _, id := range c.EvidenceDocumentIDs() {
		docs = append(docs, testDocument{"evidence", id, c.EvidenceDocument(id)})
	}
	for _, d := range c.Datasets() {
		docs = append(docs, testDocument{"dataset-card", d.ID, c.DatasetCard(d)})
	}
	docs = append(docs, problems(t, c)...)
	return append(docs, aboveCatalog...)
}

// problems returns a failure with each code, as the one writer of failures writes it.
func problems(t testing.TB, c *catalog.Catalog) []testDocument {
	pw := problem.Writer{Base: c.Site().ProblemBase(), Log: slog.New(slog.DiscardHandler)}
	var docs []testDocument
	for _, code := range problem.Table(c.Site().ProblemBase()) {
		w := httptest.NewRecorder()
		pw.Write(w, httptest.NewRequest("GET", "/", nil), &problem.Problem{Code: code.Code, Err: errors.New("secret")})
		if strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: the cause is sent", code.Code)
		}
		docs = append(docs, testDocument{"problem", string(code.Code), json.RawMessage(w.Body.Bytes())})
	}
	return docs
}

// aboveCatalog are examples of the documents that packages above build.
var aboveCatalog = []testDocument{
	{"manifest", "manifest", json.RawMessage(`{"schema_version":"1","generated_at":"2026-11-21T12:00:00Z","count":1,
		"files":[{"path":"/trust.md","bytes":2,"sha256":"` + strings.Repeat("0a", 32) + `","media_type":"text/markdown; charset=utf-8"}]}`)},
	{"credits", "credits", json.RawMessage(`{"schema_version":"1","generated_at":"2026-11-21T12:00:00Z","payment_hash":"` + strings.Repeat("0a", 32) + `",
		"credits":100,"remaining":99,"valid_until":"2026-12-21T12:00:00Z"}`)},
	{"problem", "challenge", json.RawMessage(`{"type":"https://almanac.example/trust/#payment_required","title":"Payment required","status":402,"detail":"Pay.",
		"code":"payment_required","macaroon":"AgEEbHNhdA==","invoice":"lnbcrt1u1p0","payment_hash":"` + strings.Repeat("0a", 32) + `","price_sats":100,
		"credits":100,"valid_days":30,"expires_at":"2026-11-21T12:15:00Z"}`)},
	{"search", "search", json.RawMessage(`{"schema_version":"1","generated_at":"2026-11-21T12:00:00Z","query":"bolt12","total":2,"count":2,"entries":[
		{"id":"bolt-12-offers","title":"BOLT #12","publisher":"Lightning","authors":[],"date_published":null,"url":"https://example.org/12","type":"spec",
		"category":"bitcoin-lightning","summary":"Offers.","tags":["lightning"],"verified_at":"2026-11-21","last_checked":"2026-11-21","http_status":0,
		"archive_url":null,"kind":"library","score":7.25,"missing":["offers"],
		"passages":[{"kind":"summary","title":"Summary","text":"Offers.","url":"https://almanac.example/library/entry/bolt-12-offers/",
		"source":"https://example.org/12","verified_at":"2026-11-21"}]},
		{"id":"protocol:bolt12","kind":"protocol","title":"BOLT 12 offers","url":"https://almanac.example/protocols/bolt12/","date_published":null,
		"verified_at":"2026-11-21","score":3,"passages":[{"kind":"fact",
		"title":"Payment rail","text":"Lightning","url":"https://almanac.example/protocols/bolt12/#payment_rail","source":"https://example.org/12",
		"verified_at":"2026-11-21"}]}],"next_cursor":"QYd","suggestion":"bolt12",
		"credits":{"remaining":99,"valid_until":"2026-12-21T12:00:00Z"}}`)},
	{"l402", "paid interface", json.RawMessage(`{"schema_version":"1","version":"1","name":"almanac",
		"description":"Search over the library, the protocol facts, the articles and the datasets. 100 satoshis buy 100 requests for 30 days; the files themselves are free.",
		"homepage":"http://almanac.example/","protocol":"L402","protocols":["L402"],"payment_network":"lightning","provider":{
		"name":"almanac","url":"http://almanac.example",
		"description":"Openly readable reference data about machine-to-machine payment protocols and agent protocols, each fact checked at its source."},
		"endpoints":[{"path":"/v1/search","url":"http://almanac.example/v1/search","method":"GET","category":"search",
		"description":"Search by words, with filters. The parameter q holds the query.","price_sats":100,"credits":100,
		"credits_per_request":1,"validity_seconds":2592000}],"pricing":{"unit":"request","currency":"SAT","price_sats":100,
		"credits":100,"validity_seconds":2592000},"payment":{"methods":["lightning"],"tiers":[{"amountSats":100,
		"creditSats":100}]},"authentication":{"protocols_supported":["L402"],"l402":{"challenge_header":"WWW-Authenticate",
		"challenge_format":"L402 macaroon=\"<base64>\", invoice=\"<bolt11>\", version=\"0\", token=\"<base64>\"",
		"authorization_header":"Authorization: L402 <macaroon>:<preimage>","balance_header":"X-Credit-Balance",
		"status_url":"http://almanac.example/v1/credits"}},"routes":[{"path":"/v1/search","price":{"type":"fixed",
		"amount_msat":100000},"caveats_required":["services","almanac_valid_until","almanac_credits"],
		"macaroon_timeout_secs":2592000,"quota":100}],"docs_url":"http://almanac.example/trust/",
		"openapi_url":"http://almanac.example/openapi.json","llms_txt_url":"http://almanac.example/llms.txt",
		"error_codes_url":"http://almanac.example/trust.json","updated":"2026-11-21T10:28:01Z"}`)},
	{"l402-manifest", "discovery manifest", json.RawMessage(`{"version":"1.0","provider":{"name":"almanac","uri":"https://almanac.example"},"currencies":["msat"],
		"macaroon_versions":[0],"payment_methods":["bolt11"],"openapi":"/openapi.json","services":[{"name":"almanac","tiers":[{"tier":0}],
		"resources":[{"path":"/v1/search","pricing":{"model":"fixed","price_msat":100000}}]}],"caveats":{"services":{"type":"service_list","attenuation":"subset"}}}`)},
	{"json-feed", "feed", json.RawMessage(`{"version":"https://jsonfeed.org/version/1.1","title":"almanac: changes","items":[{"id":"urn:uuid:0","content_text":"added"}]}`)},
	{"croissant", "dataset", json.RawMessage(croissant)},
	{"ai-catalog", "servers", json.RawMessage(`{"specVersion":"1.0","host":{"displayName":"almanac"},"entries":[{"identifier":"urn:air:almanac.example:mcp:almanac",
		"displayName":"almanac","type":"application/mcp-server-card+json","url":"https://almanac.example/mcp/server-card","description":"Tools.",
		"representativeQueries":["a","b"]}]}`)},
	{"agent-skills", "skills", json.RawMessage(`{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{"name":"cite-facts","type":"skill-md",
		"description":"Cites facts.","url":"https://almanac.example/.well-known/agent-skills/cite-facts/SKILL.md","digest":"sha256:` + strings.Repeat("0", 64) + `"}]}`)},
	{"l402-services", "services", json.RawMessage(`{"version":"1","service":{"name":"almanac"},"payment_methods":[{"type":"lightning"}],
		"routes":[{"path":"/v1/search","price":{"type":"static","amount_msat":100000},"caveats_required":["services"]}]}`)},
	{"openapi", "interfaces", json.RawMessage(`{"openapi":"3.1.0","info":{"title":"almanac","version":"1","description":"Data."},"servers":[{"url":"https://almanac.example"}],
		"paths":{"/v1/search":{"get":{"operationId":"search","summary":"Search","responses":{}}}},"components":{"schemas":{},"responses":{}}}`)},
	{"links", "links", json.RawMessage(`{"schema_version":"1","generated_at":"2026-11-21T12:00:00Z","checked_at":"2026-11-21T11:00:00Z","links":2,"answered":1,
		"count":1,"entries":[{"id":"mqtt-5","url":"https://example.org/","kind":"dns","status":0,"detail":"no such host","final_url":"https://example.org/",
		"checked_at":"2026-11-21T11:00:00Z"}]}`)},
}

// croissant is the metadata of a dataset without columns but one.
var croissant = `{"@context":{` + croissantTerms() + `},"@type":"sc:Dataset","conformsTo":"http://mlcommons.org/croissant/1.1","name":"library","description":"Rows.",
	"license":"https://example.org/licence/","url":"https://almanac.example/datasets/library/","creator":{"@type":"sc:Organization","name":"almanac"},
	"citeAs":"@misc{library, title = {{Library}}}","datePublished":"2026-11-21","version":"2026.11.21","distribution":[{"@type":"cr:FileObject","@id":"library.csv",
	"name":"library.csv","contentUrl":"https://almanac.example/dataset/library.csv","encodingFormat":"text/csv","sha256":"` + strings.Repeat("0a", 32) + `"}],
	"recordSet":[{"@type":"cr:RecordSet","@id":"records","name":"records","field":[{"@type":"cr:Field","@id":"records/id","name":"id","description":"Id.",
	"dataType":"sc:Text","source":{"fileObject":{"@id":"library.csv"},"extract":{"column":"id"}}}]}]}`

// croissantTerms returns the members of the context that Croissant 1.1 prescribes.
func croissantTerms() string {
	terms := strings.Fields(`@language @vocab sc cr rai dct annotation arrayShape citeAs column conformsTo containedIn data dataType equivalentProperty
		examples excludes extract field fileProperty fileObject fileSet format includes isArray isLiveDataset jsonPath key md5 parentField recordSet references
		regex readLines sdVersion separator source subField transform unArchive value`)
	return `"` + strings.Join(terms, `":"",
"`) + `":""`
}
