package load

import "almanac/catalog"

// EditEntry returns the bytes of a library entry's file after an edit. The file must be one that Load accepts.
func EditEntry(path string, data []byte, edit func(*catalog.Entry)) ([]byte, error) {
	var l faultList
	e, ok := decodeStrict[catalog.Entry](&l, path, data)
	if err := l.err(); err != nil || !ok {
		return nil, err
	}
	edit(&e)
	return canonical(e), nil
}
