import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { LIVE_KEY, startTestService } from "../sandbox/provider/service-fixture.ts";

const page = readFileSync(new URL("../../docs/collection-api.md", import.meta.url), "utf8");

/** Each call as the page shows it: the operation's name, a line for a shell that knows `$API` and `$KEY`, the answer. */
const calls = [
  ...page.matchAll(/^### (.+)\n(?:(?!^#)[\s\S])*?```sh\n([\s\S]*?)```\s+```json\n([\s\S]*?)```/gm),
].map(([, title = "", command = "", answer = ""]) => ({ title, command, answer: JSON.parse(answer) }));

/** Sends what a line with curl sends. @returns the body of the answer */
async function send(command: string, api: string): Promise<unknown> {
  const words = [...command.replaceAll("\\\n", " ").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) =>
      single ?? (double ?? plain ?? "").replaceAll("$API", api).replaceAll("$KEY", LIVE_KEY),
  );
  const after = (option: string) => words.flatMap((word, nth) => (words[nth - 1] === option ? [word] : []));
  const [body] = after("-d");
  const url = words.find((word) => word.startsWith(api)) ?? "";
  const response = await fetch(url, {
    method: after("-X")[0] ?? (body === undefined ? "GET" : "POST"),
    headers: after("-H").map((header) => header.split(": ") as [string, string]),
    ...(body !== undefined && { body }),
  });
  return await response.json();
}

/** Without what is another each time: the id and the moments of an invoice that was just made. */
const settled = (title: string, answer: { data: { id: string; dateCreated: string } }) =>
  title === "Create Invoice"
    ? JSON.stringify(answer).replaceAll(answer.data.id, "<id>").replaceAll(answer.data.dateCreated, "<now>")
    : JSON.stringify(answer);

// In it are the page's invoices, and it calls itself as the page does.
const service = await startTestService({ publicUrl: "http://127.0.0.1:4001" });
afterAll(service.close);
await send(/(curl [^`]*_control[^`]*)```/.exec(page)?.[1] ?? "", service.url);

describe("docs/collection-api.md", () => {
  it("shows the seven operations and a refusal", () => expect(calls).toHaveLength(8));

  it.each(calls)("$title: sent as it stands there, it is answered as it stands there", async (call) => {
    const answer = (await send(call.command, service.url)) as typeof call.answer;
    expect(settled(call.title, answer)).toEqual(settled(call.title, call.answer));
  });
});
