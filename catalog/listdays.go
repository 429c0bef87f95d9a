package catalog

// listDays are the newest days of the lists of entries, which many documents ask for.
type listDays struct {
	all        Date
	byCategory map[string]Date
	byTag      map[string]Date
}
