import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INVOICE, LIVE_KEY, OPEN_AMOUNT, startTestService, type TestService } from "./service-fixture.ts";

/** All that comes back before the connection ends. */
async function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.write(request);
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

describe("what a request is, and is not", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it("a body that is no UTF-8 is refused, and a byte order mark is not", async () => {
    const send = async (body: Buffer) => {
      const response = await fetch(`${service.url}/api/v1/invoices`, {
        method: "POST",
        headers: { "x-api-key": LIVE_KEY },
        body: new Uint8Array(body),
      });
      return { status: response.status, ...((await response.json()) as { message: string }) };
    };
    const json = JSON.stringify(INVOICE);
    const latin = Buffer.from(json.replace("Second term", "Trimestre \u00e9t\u00e9"), "latin1");
    expect(await send(latin)).toMatchObject({ status: 400, message: "The request's body is not UTF-8" });
    expect(await send(Buffer.from(`\uFEFF${json}`))).toMatchObject({ status: 200 });
  });

  it("blanks around what is searched, around addresses and phone numbers count for nothing", async () => {
    const id = await service.create({
      title: "Trimmed",
      payerEmail: " ada@example.com ",
      payerPhoneNumber: " +234 801 234 5678\n",
      callBackUrl: "  https://merchant.example/callbacks ",
    });
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({
      payerEmail: "ada@example.com",
      payerPhoneNumber: "+234 801 234 5678",
      callBackUrl: "https://merchant.example/callbacks",
    });
    const found = await service.api(
      "GET",
      `/api/v1/collections/${OPEN_AMOUNT}/invoices?search=%20Trimmed%20`,
    );
    expect(found.body.data.items).toHaveLength(1);
  });

  it("what is no HTTP, headers that are too large, and two Host headers are told so in the form of an error", async () => {
    for (const [head, status, message] of [
      ["GARBAGE", 400, "The request is not HTTP"],
      [`GET /api/v1/banks HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}`, 431, "at most 16 KiB"],
      ["GET /api/v1/banks HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close", 400, "The Host header"],
    ] as const) {
      const answer = await sendRaw(service.url, `${head}\r\n\r\n`);
      expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
      const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      expect(body).toMatchObject({ status, message: expect.stringContaining(message) });
    }
  });
});
