// An HTTP endpoint behind an SNS subscription that books each paid invoice once, in its own Postgres.
//
//	go mod tidy
//	TOPIC_ARN=arn:aws:sns:… DATABASE_URL=postgres://… PORT=3000 go run .
//
// Needs Go 1.19 and github.com/lib/pq. The topic signs with SHA-256 (SignatureVersion 2); leave raw message
// delivery off: without the envelope there is no signature. For a local SNS set SNS_ORIGIN to its address.
package main

import (
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	_ "github.com/lib/pq"
)

const (
	maxAge   = time.Hour
	maxBytes = 1 << 20
	tables   = `
		create table if not exists handled_event
			(event_id uuid primary key, handled_at timestamptz not null default clock_timestamp());
		create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text)`
)

var (
	topicArn  = os.Getenv("TOPIC_ARN")
	region    = strings.Split(topicArn+":::", ":")[3]
	snsOrigin = or(os.Getenv("SNS_ORIGIN"), "https://sns."+region+".amazonaws.com")
	db        *sql.DB
	// Refused: not an event of ours, now or later. Whatever else goes wrong is answered 500 and comes again.
	errRefused = errors.New("refused")
	client     = &http.Client{Timeout: 5 * time.Second, CheckRedirect: refuseRedirect}
)

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// Redirects would lead away from SNS.
func refuseRedirect(*http.Request, []*http.Request) error { return errors.New("redirected") }

func refused(why string) error { return fmt.Errorf("%w: %s", errRefused, why) }

func fetch(address string) ([]byte, error) {
	answer, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("SNS answered %d", answer.StatusCode)
	}
	return io.ReadAll(io.LimitReader(answer.Body, 65536))
}

// --- Signature ---

type message struct {
	Type, MessageId, TopicArn, Message, Timestamp string
	Subject                                       *string
	Token, SubscribeURL                           string
	SignatureVersion, Signature, SigningCertURL   string
}

func (m message) signedText() string {
	var text strings.Builder
	add := func(name, value string) { text.WriteString(name + "\n" + value + "\n") }
	add("Message", m.Message)
	add("MessageId", m.MessageId)
	if m.Type == "Notification" {
		if m.Subject != nil {
			add("Subject", *m.Subject)
		}
		add("Timestamp", m.Timestamp)
	} else {
		add("SubscribeURL", m.SubscribeURL)
		add("Timestamp", m.Timestamp)
		add("Token", m.Token)
	}
	add("TopicArn", m.TopicArn)
	add("Type", m.Type)
	return text.String()
}

var (
	certificates    sync.Map
	fetching        = make(chan struct{}, 16)
	certificatePath = regexp.MustCompile(`^/SimpleNotificationService-[0-9a-f]{32}\.pem$`)
)

// certificate fetches each once. Forged messages that name ever other ones cost a fetch each, at most 16 at once.
func certificate(address string) (*x509.Certificate, error) {
	if known, ok := certificates.Load(address); ok {
		return known.(*x509.Certificate), nil
	}
	fetching <- struct{}{}
	defer func() { <-fetching }()
	text, err := fetch(address)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, refused("no certificate")
	}
	found, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, refused("no certificate")
	}
	certificates.Store(address, found)
	return found, nil
}

func atSns(address string) bool {
	parts, err := url.Parse(address)
	return err == nil && parts.User == nil && parts.Scheme+"://"+parts.Host == snsOrigin
}

// verify takes only what SNS signed lately, for our topic. Nothing is fetched before everything else holds.
func verify(m message) error {
	if m.TopicArn != topicArn {
		return refused("another topic")
	}
	signedAt, err := time.Parse(time.RFC3339, m.Timestamp)
	if err != nil || time.Since(signedAt) > maxAge || time.Since(signedAt) < -5*time.Minute {
		return refused("signed too long ago, or in the future")
	}
	if m.SignatureVersion != "2" {
		// A setting to mend, so that nothing is lost meanwhile: SNS delivers it again.
		return errors.New("the topic signs with SHA-1: set its attribute SignatureVersion to 2")
	}
	address := m.SigningCertURL
	if !atSns(address) || !certificatePath.MatchString(strings.TrimPrefix(address, snsOrigin)) {
		return refused("the certificate is not at SNS")
	}
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	if err != nil {
		return refused("no signature")
	}
	found, err := certificate(address)
	if err != nil {
		return err
	}
	if time.Now().Before(found.NotBefore) || time.Now().After(found.NotAfter) {
		return refused("the certificate is not valid now")
	}
	if found.CheckSignature(x509.SHA256WithRSA, []byte(m.signedText()), signature) != nil {
		return refused("forged")
	}
	return nil
}

// --- Parse ---

type event struct {
	Id, Type, Dataschema string
	Data                 struct {
		InvoiceId string
		// Text, so that no digit is lost: hand it to numeric, or to big.Rat; never to a float.
		Amount string
		Payer  *struct{ Name *string }
	}
}

func parse(m message) (event, error) {
	var e event
	if err := json.Unmarshal([]byte(m.Message), &e); err != nil {
		return e, refused("no event")
	}
	if e.Type != "invoice.paid" || e.Dataschema != "urn:invoice-relay:schema:invoice.paid:v1" {
		return e, refused("an event of another type or version")
	}
	if e.Id == "" || e.Data.InvoiceId == "" || e.Data.Amount == "" {
		return e, refused("an event without id, invoice or amount")
	}
	return e, nil
}

// --- Once only ---

// handle commits the event's id together with what it writes: both are there, or neither. A copy that comes
// at the same time waits at the insert.
func handle(e event) (string, error) {
	transaction, err := db.Begin()
	if err != nil {
		return "", err
	}
	defer transaction.Rollback()
	claim := "insert into handled_event (event_id) values ($1) on conflict do nothing"
	claimed, err := transaction.Exec(claim, e.Id)
	if err != nil {
		return "", err
	}
	if rows, err := claimed.RowsAffected(); err != nil || rows == 0 {
		return "duplicate", err
	}
	var payer *string
	if e.Data.Payer != nil {
		payer = e.Data.Payer.Name
	}
	booking := "insert into booking values ($1, $2, $3)"
	if _, err := transaction.Exec(booking, e.Data.InvoiceId, e.Data.Amount, payer); err != nil {
		return "", err
	}
	return "handled", transaction.Commit()
}

// --- HTTP ---

func receive(body []byte) error {
	var m message
	if json.Unmarshal(body, &m) != nil || (m.Type != "Notification" && m.Type != "SubscriptionConfirmation") {
		return refused("nothing that SNS signed")
	}
	if err := verify(m); err != nil {
		return err
	}
	if m.Type == "SubscriptionConfirmation" {
		if !atSns(m.SubscribeURL) {
			return refused("the address to confirm at is not at SNS")
		}
		_, err := fetch(m.SubscribeURL)
		return err
	}
	e, err := parse(m)
	if err != nil {
		return err
	}
	outcome, err := handle(e)
	if err == nil {
		fmt.Println(outcome, e.Data.InvoiceId, e.Data.Amount)
	}
	return err
}

func answer(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
	if err == nil {
		err = receive(body)
	}
	status := http.StatusNoContent
	if err != nil {
		log.Println(err)
		status = http.StatusInternalServerError // SNS delivers it again.
		if errors.Is(err, errRefused) {
			status = http.StatusBadRequest
		}
	}
	response.WriteHeader(status)
}

func main() {
	var err error
	if db, err = sql.Open("postgres", os.Getenv("DATABASE_URL")); err != nil {
		log.Fatal(err)
	}
	if _, err = db.Exec(tables); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", ":"+or(os.Getenv("PORT"), "3000"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: http.HandlerFunc(answer), ReadTimeout: 20 * time.Second}
	log.Fatal(server.Serve(listener))
}
