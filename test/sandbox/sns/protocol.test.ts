import { describe, expect, it } from "vitest";
import { snsFixture } from "./sns-fixture.ts";

describe("the protocol of the local SNS, beyond what the SDK sends", () => {
  it("refuses what is unsigned, unknown, too deep or too large, escaped and in SNS' own words", async () => {
    const { sns } = await snsFixture();
    const signed = { authorization: "x" };
    const requests: [string, Record<string, string>, number, string][] = [
      ["Action=ListTopics", {}, 403, "<Type>Sender</Type><Code>MissingAuthenticationToken</Code>"],
      ["Action=constructor", signed, 400, "<Type>Sender</Type><Code>InvalidAction</Code>"],
      ["Action=%3Cb%3E%22%26%00", signed, 400, "The action &lt;b&gt;&quot;&amp;\ufffd is not valid"],
      ["Action=%zz%", signed, 400, "<Code>InvalidAction</Code>"],
      [`Action=Publish&${"a.".repeat(9)}=1`, signed, 400, "<Code>MalformedQueryString</Code>"],
      ["x".repeat(4_194_305), signed, 413, "<Code>RequestEntityTooLarge</Code>"],
    ];
    for (const [body, headers, status, said] of requests) {
      const answer = await fetch(sns.url, { method: "POST", body, headers });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/xml"]);
      expect(await answer.text()).toContain(said);
    }
  });

  it("takes a plus as a space, as forms have it", async () => {
    const { sns, topic } = await snsFixture();
    const TopicArn = await topic("events");
    const body = new URLSearchParams({ Action: "Publish", TopicArn, Message: "a b+c" });
    expect(body.toString()).toContain("a+b%2Bc");
    await fetch(sns.url, { method: "POST", body, headers: { authorization: "x" } });
    expect(sns.messages().map(({ message }) => message)).toEqual(["a b+c"]);
  });
});
