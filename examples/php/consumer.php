<?php
// An HTTP endpoint behind an SNS subscription that books each paid invoice once, in its own Postgres.
//
//   DATABASE_URL='pgsql:host=…;dbname=…;user=…;password=…' php consumer.php             makes its tables
//   TOPIC_ARN=arn:aws:sns:… DATABASE_URL='pgsql:…' php -S 127.0.0.1:3000 consumer.php   tries it
//
// For more than a try, serve it with php-fpm.
//
// Needs PHP 8.1 with openssl and pdo_pgsql. The topic signs with SHA-256 (SignatureVersion 2); leave raw
// message delivery off: without the envelope there is no signature. For a local SNS set SNS_ORIGIN to its
// address.
declare(strict_types=1);

const MAX_AGE_SECONDS = 3600;
const MAX_BYTES = 1024 * 1024;

/**
 * Not an event of ours, now or later: answered 400. Whatever else goes wrong is answered 500 and comes again.
 */
class Refused extends Exception {}

function setting(string $name): string
{
    return getenv($name) ?: throw new RuntimeException("$name is not set");
}

function database(): PDO
{
    static $database = null;
    $options = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION];
    return $database ??= new PDO(setting('DATABASE_URL'), options: $options);
}

function change(string $statement, array $values = []): int
{
    $prepared = database()->prepare($statement);
    $prepared->execute($values);
    return $prepared->rowCount();
}

function fetch(string $address): string
{
    // It follows no redirects: they would lead away from SNS.
    $context = stream_context_create(['http' => ['timeout' => 5, 'follow_location' => 0]]);
    $answer = @file_get_contents($address, false, $context, 0, 65536);
    if ($answer === false || !str_contains($http_response_header[0] ?? '', ' 200')) {
        throw new RuntimeException('SNS could not be asked');
    }
    return $answer;
}

// --- Signature ---

const SIGNED_FIELDS = [
    'Notification' => ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
    'SubscriptionConfirmation' =>
        ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
];

/** Takes an address at SNS alone: Amazon's own in the topic's region, or the one that SNS_ORIGIN names. */
function at_sns(array $message, string $name): string
{
    [, $partition, , $region] = explode(':', setting('TOPIC_ARN'));
    $domain = ['aws-cn' => 'amazonaws.com.cn', 'aws-eusc' => 'amazonaws.eu'][$partition] ?? 'amazonaws.com';
    $origin = getenv('SNS_ORIGIN') ?: "https://sns.$region.$domain";
    $address = text($message, $name);
    if (!str_starts_with($address, "$origin/")) {
        $part = strtok($address, ':') === strtok($origin, ':') ? 'host' : 'scheme';
        throw new Refused("$name: its $part is not that of $origin");
    }
    return $address;
}

/** A name of SNS' own form; only a stand-in, such as LocalStack, keeps certificates under another path. */
function certificate_address(array $message): string
{
    $address = at_sns($message, 'SigningCertURL');
    if (strpbrk($address, '?#') !== false) {
        throw new Refused('SigningCertURL: it has a query or fragment');
    }
    $directory = getenv('SNS_ORIGIN') ? '.*' : '';
    $path = preg_replace('~^\w+://[^/]+~', '', $address);
    if (!preg_match("~^$directory/SimpleNotificationService-[0-9a-f]{32}\.pem\z~", $path)) {
        throw new Refused('SigningCertURL: its path is not /SimpleNotificationService-<32 hex digits>.pem');
    }
    return $address;
}

/**
 * Fetched once, and kept in the database, since PHP forgets between requests. Forged messages that name ever
 * other ones cost a fetch each, as many at once as php-fpm has workers.
 */
function certificate(string $address): string
{
    $known = database()->prepare('select pem from sns_certificate where address = ?');
    $known->execute([$address]);
    $pem = $known->fetchColumn();
    if ($pem !== false) {
        return $pem;
    }
    $pem = fetch($address);
    if (openssl_x509_read($pem) === false) {
        throw new Refused('no certificate');
    }
    change('insert into sns_certificate values (?, ?) on conflict do nothing', [$address, $pem]);
    return $pem;
}

function text(mixed $holder, string $name): string
{
    $value = is_array($holder) ? $holder[$name] ?? null : null;
    return is_string($value) ? $value : throw new Refused("no $name");
}

/** Only what SNS signed lately, for our topic. Nothing is fetched before everything else holds. */
function verify(array $message): void
{
    if (text($message, 'TopicArn') !== setting('TOPIC_ARN')) {
        throw new Refused('another topic');
    }
    $signedAt = strtotime(text($message, 'Timestamp'));
    if ($signedAt === false || $signedAt < time() - MAX_AGE_SECONDS || $signedAt > time() + 300) {
        throw new Refused('signed too long ago, or in the future');
    }
    if (text($message, 'SignatureVersion') !== '2') {
        // A setting to mend, so that nothing is lost meanwhile: SNS delivers it again.
        throw new RuntimeException('the topic signs with SHA-1: set its attribute SignatureVersion to 2');
    }
    $address = certificate_address($message);
    $signed = '';
    foreach (SIGNED_FIELDS[text($message, 'Type')] ?? throw new Refused('another type of message') as $name) {
        if (isset($message[$name])) {
            $signed .= "$name\n" . text($message, $name) . "\n";
        }
    }
    $signature = base64_decode(text($message, 'Signature'), true);
    $pem = certificate($address);
    $validity = openssl_x509_parse($pem);
    if (time() < $validity['validFrom_time_t'] || time() > $validity['validTo_time_t']) {
        throw new Refused('the certificate is not valid now');
    }
    if ($signature === false || openssl_verify($signed, $signature, $pem, OPENSSL_ALGO_SHA256) !== 1) {
        throw new Refused('forged');
    }
}

// --- Parse ---

function parse(array $message): array
{
    $event = json_decode(text($message, 'Message'), true);
    if (text($event, 'type') !== 'invoice.paid'
        || text($event, 'dataschema') !== 'urn:invoice-relay:schema:invoice.paid:v1') {
        throw new Refused('an event of another type or version');
    }
    $data = $event['data'] ?? null;
    // Money is text, so that no digit is lost: bcmath or numeric, never float.
    $payer = $data['payer']['name'] ?? null;
    return [text($event, 'id'), text($data, 'invoiceId'), text($data, 'amount'), $payer];
}

// --- Once only ---

const TABLES = '
    create table if not exists sns_certificate
        (address text primary key, pem text not null);
    create table if not exists handled_event
        (event_id uuid primary key, handled_at timestamptz not null default clock_timestamp());
    create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text);
';

/**
 * The event's id and what the handler writes commit together: both are there, or neither. A copy that comes
 * at the same time waits at the insert.
 */
function handle(string $eventId, string $invoiceId, string $amount, ?string $payer): string
{
    database()->beginTransaction();
    try {
        $claim = 'insert into handled_event (event_id) values (?) on conflict do nothing';
        $outcome = change($claim, [$eventId]) === 0 ? 'duplicate' : 'handled';
        if ($outcome === 'handled') {
            change('insert into booking values (?, ?, ?)', [$invoiceId, $amount, $payer]);
        }
        database()->commit();
        return $outcome;
    } catch (Throwable $error) {
        database()->rollBack();
        throw $error;
    }
}

// --- HTTP ---

function receive(string $body): int
{
    try {
        $message = json_decode($body, true);
        if (!is_array($message)) {
            throw new Refused('nothing that SNS signed');
        }
        verify($message);
        if ($message['Type'] === 'SubscriptionConfirmation') {
            fetch(at_sns($message, 'SubscribeURL'));
            return 204;
        }
        $event = parse($message);
        error_log(handle(...$event) . " $event[1] $event[2]");
        return 204;
    } catch (Refused $refused) {
        error_log('refused: ' . $refused->getMessage());
        return 400;
    } catch (Throwable $error) { // 500: SNS delivers it again.
        error_log($error->getMessage());
        return 500;
    }
}

if (PHP_SAPI === 'cli') {
    database()->exec(TABLES);
} else {
    $body = file_get_contents('php://input', false, null, 0, MAX_BYTES + 1);
    http_response_code(strlen($body) > MAX_BYTES ? 413 : receive($body));
}
