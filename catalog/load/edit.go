package load

import "almanac/catalog"

// EditEntry returns the bytes of a library entry's file after an edit. The file must be one that Load accepts.
func EditEntry(path string, data []byte, edit func(*catalog.Entry)) ([]byte, error) {
	return editRecord(path, data, edit)
}

// EditProtocol returns the bytes of a protocol's file after an edit. The file must be one that Load accepts.
func EditProtocol(path string, data []byte, edit func(*catalog.Protocol)) ([]byte, error) {
	return editRecord(path, data, edit)
}

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
