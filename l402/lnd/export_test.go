package lnd

// Occupy takes every turn at the node, and keeps it.
func (n *Node) Occupy() {
	for range cap(n.connection.slots) {
		n.connection.slots <- struct{}{}
	}
}
