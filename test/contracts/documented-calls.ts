import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LIVE_KEY, startTestService, type TestService } from "../sandbox/provider/service-fixture.ts";

/** A call as docs/collection-api.md shows it: what one types, and what one gets. */
export interface DocumentedCall {
  /** The interface's name of the operation. */
  readonly title: string;
  /** A line for a shell that knows `$API` and `$KEY`. */
  readonly command: string;
  readonly answer: unknown;
}

const PAGE = resolve(import.meta.dirname, "../../docs/collection-api.md");
export async function documentedCalls(): Promise<DocumentedCall[]> {
  const page = await readFile(PAGE, "utf8");
  const calls = page.matchAll(/^### (.+)\n(?:(?!^#)[\s\S])*?```sh\n([\s\S]*?)```\s+```json\n([\s\S]*?)```/gm);
  return [...calls].map(([, title = "", command = "", answer = ""]) => ({
    title,
    command: command.trim(),
    answer: JSON.parse(answer),
  }));
}

/** A service in which the page's invoices are, and that calls itself as the page does. */
export async function startDocumentedService(): Promise<TestService> {
  const service = await startTestService({ publicUrl: "http://127.0.0.1:4001" });
  const page = await readFile(PAGE, "utf8");
  const [, command = ""] = /(curl [^`]*_control[^`]*)```/.exec(page) ?? [];
  const { url, init } = requestOf({ command }, service.url, LIVE_KEY);
  const reply = await fetch(url, init);
  if (reply.status !== 201) throw new Error(await reply.text());
  return service;
}

/** The request that a line with curl sends. */
export function requestOf(
  { command }: Pick<DocumentedCall, "command">,
  api: string,
  key: string,
): { url: string; init: RequestInit } {
  const words = [...command.replaceAll("\\\n", " ").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) =>
      single ?? (double ?? plain ?? "").replaceAll("$API", api).replaceAll("$KEY", key),
  );
  const after = (option: string) => words.flatMap((word, nth) => (words[nth - 1] === option ? [word] : []));
  const body = after("-d")[0];
  return {
    url: words.find((word) => word.startsWith(api)) ?? "",
    init: {
      method: after("-X")[0] ?? (body === undefined ? "GET" : "POST"),
      headers: Object.fromEntries(after("-H").map((header) => header.split(": ") as [string, string])),
      ...(body === undefined ? {} : { body }),
    },
  };
}

/** Without what is another each time: the id and the moments of what was just made. */
export function withoutChance({ title }: DocumentedCall, answer: unknown): unknown {
  if (title !== "Create Invoice") return answer;
  const { data } = answer as { data: { id: string; dateCreated: string } };
  return JSON.parse(JSON.stringify(answer).replaceAll(data.id, "<id>").replaceAll(data.dateCreated, "<now>"));
}
