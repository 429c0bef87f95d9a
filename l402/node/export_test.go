package node

// Occupy takes every turn at the node, and keeps it.
func (n *Node) Occupy() {
	for range cap(n.turns) {
		n.turns <- struct{}{}
	}
}

// BePublic has the client take its service for one on the Internet.
func (c *Client) BePublic() error { return c.Current().guard.control("tcp", "9.9.9.9:443", nil) }
