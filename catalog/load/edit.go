package load

import "almanac/catalog"

// EditEntry returns the bytes of a library entry's file after an edit. The file must be one that Load accepts.
func EditEntry(path string, data []byte, edit func(*catalog.Entry)) ([]byte, error) {
	return editRecord(path, data, edit)
}

// EditEvidence returns the bytes of an evidence file after an edit. The file must be one that Load accepts.
func EditEvidence(path string, data []byte, edit func(*catalog.EvidenceRecord)) ([]byte, error) {
	return editRecord(path, data, edit)
}

// EvidenceFile returns the path of the evidence for a record, by its path id, among the curated files.
func EvidenceFile(pathID string) string { return "evidence/" + pathID + ".json" }

// ProtocolFile returns the path of a protocol among the curated files.
func ProtocolFile(id string) string { return "protocols/" + id + ".json" }

func editRecord[T any](path string, data []byte, edit func(*T)) ([]byte, error) {
	var l faultList
	record, ok := decodeStrict[T](&l, path, data)
	if err := l.err(); err != nil || !ok {
		return nil, err
	}
	edit(record)
	return canonical(record), nil
}
