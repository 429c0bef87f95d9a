package peer

// Networks returns how many networks are remembered.
func (l *Limiter) Networks() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.networks.Len()
}
