// Command serve answers with the shapes of testvectors/402, for clients of others.
//
//	go run -C http402 ./testvectors/testdata/serve -listen 127.0.0.1:4020
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"go.almanac.example/http402/testvectors"
	"go.almanac.example/http402/testvectors/shapeserver"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:4020", "`address`")
	flag.Parse()
	shapes := testvectors.Shapes()
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range shapes {
		fmt.Printf("http://%s/%s/%s\t%s\n", l.Addr(), s.Transport, s.ID, s.Title)
	}
	log.Fatal(http.Serve(l, shapeserver.New(shapes)))
}
