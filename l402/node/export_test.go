package node

// Occupy takes every turn at the node, and keeps it.
func (n *Node) Occupy() {
	for range cap(n.turns) {
		n.turns <- struct{}{}
	}
}
