import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type OwnServer, startServer } from "../own-server.ts";
import type { Account } from "./account.ts";
import { answer, BUCKET, cloudFormation, fault } from "./cloud-formation.ts";
import { type Invoke, lambda } from "./lambda.ts";
import { ACCOUNT } from "./resolve-template.ts";

/** Its `url` is for AWS_ENDPOINT_URL. */
export interface FakeAws extends OwnServer {
  /** What was asked of it, such as `cloudformation CreateChangeSet`. */
  asked: string[];
}

/** Whoever signs as this is the function of that name, and gets what its role allows. */
export const keyOfFunction = (name: string): string => `FUNCTION_${name}`;

/**
 * An endpoint for all services of AWS that a deployment talks to: real requests of real clients, signatures
 * unread.
 */
export async function startFakeAws(account: Account, invoke: Invoke): Promise<FakeAws> {
  const asked: string[] = [];
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, signer = "", service = ""] =
      /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
    const body = await buffer(request);
    const { method = "" } = request;
    const url = new URL(request.url ?? "/", "http://fake");
    const note = (what: string) => void asked.push(`${service} ${what}`);
    const xml = ({ status = 200, xml }: { status?: number; xml: string }) =>
      void response.writeHead(status, { "content-type": "text/xml" }).end(xml);
    const json = (status: number, value: unknown, headers = {}) =>
      void response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(value));

    switch (service) {
      case "cloudformation": {
        const fields = new URLSearchParams(body.toString("utf8"));
        note(fields.get("Action") ?? "");
        return xml(cloudFormation(account, fields));
      }
      case "sts":
        note("GetCallerIdentity");
        return xml(
          answer(
            "GetCallerIdentity",
            `<Arn>arn:aws:iam::${ACCOUNT}:user/deployer</Arn><Account>${ACCOUNT}</Account>`,
          ),
        );
      case "lambda": {
        note(`${method} ${url.pathname.replace(/^\/2015-03-31/, "")}`);
        const given = await lambda(account, invoke, { method, path: url.pathname, body });
        return json(given.status, given.body, given.headers);
      }
      case "ssm":
        return json(200, parametersFor(account, signer, JSON.parse(body.toString("utf8")).Names));
      case "s3":
        note(`${method} ${url.pathname}`);
        return objectOf(account, { method, url, body, headers: request.headers }, response);
      default:
        note(`${method} ${url.pathname}`);
        return xml(fault("Unknown", `the fake knows no ${service}`));
    }
  }

  const server = await startServer(async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
    }
  });
  return { ...server, asked };
}

function parametersFor(account: Account, signer: string, names: readonly string[]) {
  const role = [...account.functions.values()].find(({ name }) => keyOfFunction(name) === signer)?.role ?? "";
  const readable = account.readableBy(role);
  const found = names.filter((name) => readable.includes(name) && account.parameters.has(name));
  return {
    Parameters: found.map((Name) => ({ Name, Value: account.parameters.get(Name) })),
    InvalidParameters: names.filter((name) => !found.includes(name)),
  };
}

interface ObjectRequest {
  method: string;
  url: URL;
  body: Buffer;
  headers: IncomingMessage["headers"];
}

function objectOf(
  account: Account,
  { method, url, body, headers }: ObjectRequest,
  response: ServerResponse,
): void {
  const key = decodeURIComponent(url.pathname.replace(`/${BUCKET}`, "").replace(/^\//, ""));
  if (method === "PUT") {
    const kept = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
    account.objects.set(key, {
      body: unchunked(body, headers),
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    });
    return void response.writeHead(200, { etag: '"1"' }).end();
  }
  if (key === "") {
    const prefix = url.searchParams.get("prefix") ?? "";
    const found = [...account.objects.keys()].filter((one) => one.startsWith(prefix));
    const contents = found.map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`).join("");
    response.writeHead(200, { "content-type": "text/xml", "x-amz-bucket-region": "eu-west-1" });
    return void response.end(
      method === "HEAD"
        ? undefined
        : `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`,
    );
  }
  const found = account.objects.get(key);
  response.writeHead(found === undefined ? 404 : 200, found?.headers ?? {});
  response.end(method === "HEAD" ? undefined : found?.body);
}

/**
 * The SDK sends a stream in signed chunks: `<hex length>;…\r\n<bytes>\r\n`, the last one empty, then a
 * checksum.
 */
function unchunked(body: Buffer, headers: IncomingMessage["headers"]): Buffer {
  if (!String(headers["content-encoding"]).includes("aws-chunked")) return body;
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf("\r\n", at);
    const length = Number.parseInt(body.toString("latin1", at, end), 16);
    if (!(length > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
