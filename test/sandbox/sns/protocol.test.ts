import { X509Certificate } from "node:crypto";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { startLocalSns } from "../../../src/sandbox/sns/start-local-sns.ts";
import { snsFixture } from "./sns-fixture.ts";

describe("the protocol of the local SNS, beyond what the SDK sends", () => {
  it.each<[string, string, Record<string, string>, number, string]>([
    ["a request without credentials", "Action=ListTopics", {}, 403, "MissingAuthenticationToken"],
    ["an action that does not exist", "Action=Explode", { authorization: "x" }, 400, "InvalidAction"],
    ["an action every object has", "Action=constructor", { authorization: "x" }, 400, "InvalidAction"],
    ["no action", "", { authorization: "x" }, 400, "InvalidAction"],
    [
      "a name without end",
      `Action=Publish&${"a.".repeat(9)}=1`,
      { authorization: "x" },
      400,
      "MalformedQueryString",
    ],
    ["a body over 4 MiB", "x".repeat(4_194_305), { authorization: "x" }, 413, "RequestEntityTooLarge"],
    ["broken escapes", "Action=%zz%", { authorization: "x" }, 400, "InvalidAction"],
  ])("refuses %s", async (_, body, headers, status, code) => {
    const { sns } = await snsFixture();
    const answer = await fetch(sns.url, { method: "POST", body, headers });
    const xml = await answer.text();
    expect(answer.status).toBe(status);
    expect(xml).toContain(`<Type>Sender</Type><Code>${code}</Code>`);
    expect(answer.headers.get("content-type")).toBe("text/xml");
  });

  it("refuses two Host headers", async () => {
    const { sns } = await snsFixture();
    const socket = connect(sns.port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nHOST: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    const answer = await text(socket);
    expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 400 Bad Request");
    expect(answer).toContain("<Message>The Host header is given more than once.</Message>");
  });

  it("escapes what it repeats in an error", async () => {
    const { sns } = await snsFixture();
    const body = new URLSearchParams({ Action: `<b>"&\0` });
    const answer = await fetch(sns.url, { method: "POST", body, headers: { authorization: "x" } });
    expect(await answer.text()).toContain("The action &lt;b&gt;&quot;&amp;\ufffd is not valid");
  });

  it("takes a plus as a space, as forms have it", async () => {
    const { sns, topic } = await snsFixture();
    const TopicArn = await topic("events");
    const body = new URLSearchParams({ Action: "Publish", TopicArn, Message: "a b+c" });
    expect(body.toString()).toContain("a+b%2Bc");
    await fetch(sns.url, { method: "POST", body, headers: { authorization: "x" } });
    expect(sns.messages().map(({ message }) => message)).toEqual(["a b+c"]);
  });

  it("signs with a key of its own, made anew at each start", async () => {
    const pems = await Promise.all(
      [await startLocalSns({ port: 0 }), await startLocalSns({ port: 0 })].map(async (sns) => {
        onTestFinished(() => sns.close());
        return sns.certificatePem;
      }),
    );
    expect(new X509Certificate(pems[0] ?? "").subject).toBe("CN=sns.us-east-1.amazonaws.com");
    expect(pems[0]).not.toBe(pems[1]);
  });

  it("names the port that is taken", async () => {
    const { sns } = await snsFixture();
    await expect(startLocalSns({ port: sns.port })).rejects.toThrow(`port ${sns.port} is taken`);
  });
});
