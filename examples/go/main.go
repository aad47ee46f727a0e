// Issue an invoice with the standard library of Go: go run main.go invoice.xml
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
)

type answer struct {
	Status        string `json:"status"`
	Message       string `json:"message"`
	MessageDetail string `json:"messageDetail"`
	Data          *stamp `json:"data"`
}

type stamp struct {
	UUID          string `json:"uuid"`
	FechaTimbrado string `json:"fechaTimbrado"`
	CFDI          string `json:"cfdi"`
}

func main() {
	if err := issue(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func issue(path string) error {
	xml, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found, err := post("/cfdi33/issue/v4", xml)
	if err != nil {
		return err
	}
	// 307: this invoice was stamped before, for instance by a request whose answer was lost. Data is its stamp.
	if found.Status != "success" && !strings.HasPrefix(found.Message, "307") {
		return fmt.Errorf("%s %s", found.Message, found.MessageDetail)
	}
	fmt.Println(found.Data.UUID, found.Data.FechaTimbrado)
	return os.WriteFile(found.Data.UUID+".xml", []byte(found.Data.CFDI), 0o600)
}

// post sends an XML as the part `xml` of a form.
func post(route string, xml []byte) (*answer, error) {
	url := os.Getenv("TIMBRA_URL")
	if url == "" {
		url = "http://127.0.0.1:8080"
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("xml", "invoice.xml")
	if err != nil {
		return nil, err
	}
	if _, err = part.Write(xml); err != nil {
		return nil, err
	}
	if err = form.Close(); err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, url+route, &body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TIMBRA_TOKEN"))
	request.Header.Set("Content-Type", form.FormDataContentType())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	found := new(answer)
	return found, json.NewDecoder(response.Body).Decode(found)
}
