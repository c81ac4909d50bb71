// As main.mjs.
package main

import (
	"bufio"
	"encoding/base64"
	"example/receiver"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var fields []string
		for _, text := range strings.Split(lines.Text(), "\t") {
			decoded, _ := base64.StdEncoding.DecodeString(text)
			fields = append(fields, string(decoded))
		}
		header, asGiven := http.Header{}, http.Header{}
		for i := 2; i < len(fields); i += 2 {
			header.Add(fields[i], fields[i+1])
			asGiven[fields[i]] = append(asGiven[fields[i]], fields[i+1])
		}
		answer := receiver.IsFromGatehouse(fields[0], header, []byte(fields[1]))
		if answer == receiver.IsFromGatehouse(fields[0], asGiven, []byte(fields[1])) {
			fmt.Println(answer)
		} else {
			fmt.Println("mixed")
		}
	}
	if receiver.IsFromGatehouse("", nil, nil) {
		os.Exit(1)
	}
}
