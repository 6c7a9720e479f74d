import { describe, expect, it } from "vitest";
import { ownRelay, TOKEN } from "../support/relay.ts";
import { sendRaw } from "./send-raw.ts";

describe("a callback's path", () => {
  it("is known as Express knows one: in any case, after an origin, with broken escapes; and no other is", async () => {
    const { harness, relay } = await ownRelay({}, { http: true, workers: false });
    const statusOf = async (target: string) =>
      (await sendRaw(relay.url, { method: "POST", target, headers: {}, body: Buffer.from("{}") })).status;
    const taken = [
      `/callbacks/${TOKEN}`,
      `/callbacks/${TOKEN}/`,
      `/CALLBACKS/${TOKEN}?callbacks`,
      `/CallBacks/${TOKEN}/cut%E2%8`,
      `http://relay.example.com/callbacks/${TOKEN}/a?b=%`,
    ];
    for (const target of taken) expect(await statusOf(target), target).toBe(200);
    const others = [
      "/callbacks",
      "/callbacks?",
      "/callbacks/",
      `/callbacksx/${TOKEN}`,
      `/callbacks%2F${TOKEN}`,
      `//callbacks/${TOKEN}`,
      `/x/callbacks/${TOKEN}`,
      `/?/callbacks/${TOKEN}`,
      `http://callbacks/${TOKEN}`,
    ];
    for (const target of others) expect(await statusOf(target), target).toBe(404);
    expect(await harness.query("select from callback")).toHaveLength(taken.length);
  });
});
