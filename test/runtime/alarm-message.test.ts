import { describe, expect, it } from "vitest";
import { ALARM_NAMES, ALARMS } from "../../src/platform/alarms/alarm-definitions.ts";
import { alarmBody } from "../../src/runtime/alarm-webhook.ts";
import { expectGolden } from "../support/golden.ts";

const HOSTILE = [
  "<!channel> <@U024BE7LH> <https://evil.example|your bank> @here #general & so on",
  "a line\nCRITICAL: Postgres does not answer (forged)\r\n\u2028and more\u202e",
  `${"<".repeat(10_000)}`,
  `${"x".repeat(999)}${"\u{1F600}".repeat(5_000)}`,
];
const RUNBOOK = "https://wiki.example.com/relay";
const at = new Date("2026-11-25T12:00:00Z");

const newsOf = (name: (typeof ALARM_NAMES)[number], text: string) => ({
  ...{ name, source: text, subject: text, detail: text },
  ...{ times: 1, raisedAt: at, clearedAt: null, toldAt: null, at },
});

const settings = {
  ALARM_WEBHOOK_FORMAT: "generic" as const,
  PUBLIC_URL: "https://relay.example.com",
  RUNBOOK_URL: RUNBOOK,
};

describe("a message in Slack's form", () => {
  const slack = (alarms: Parameters<typeof alarmBody>[0]) =>
    JSON.parse(alarmBody(alarms, { ...settings, ALARM_WEBHOOK_FORMAT: "slack" }));

  it.each(HOSTILE)("takes hostile text %# for text, and ends with what to do and the link", (text) => {
    const { blocks, text: fallback } = slack([newsOf("source_failing", text)]);
    expect(blocks).toHaveLength(1);
    const [{ type, text: said }] = blocks;
    // Without it Slack makes links of addresses, and calls whom @here names.
    expect([type, said.type, said.verbatim]).toEqual(["section", "mrkdwn", true]);
    expect(said.text.length).toBeLessThanOrEqual(3_000);
    expect(said.text).toMatch(new RegExp(` <${RUNBOOK}#source_failing>$`));
    expect(said.text).toContain(ALARMS.source_failing.action);
    const own = said.text.replace(` <${RUNBOOK}#source_failing>`, "");
    expect(own).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    for (const words of [own, fallback]) {
      expect(words).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      expect(words.isWellFormed()).toBe(true);
    }
  });

  it("fits Slack's limits, however much there is to say", () => {
    const many = ALARM_NAMES.flatMap((name) => HOSTILE.map((text) => newsOf(name, text)));
    const { blocks, text } = slack(many);
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect(text.length).toBeLessThanOrEqual(40_000);
    for (const name of ALARM_NAMES) expect(text).toContain(`<${RUNBOOK}#${name}>`);
  });
});

it.each(HOSTILE)("one alarm is one line in the generic form too, hostile text %# or not", (text) => {
  const body = JSON.parse(alarmBody([newsOf("event_dead", text), newsOf("source_failing", text)], settings));
  expect(body.text.split(/[\n\r\u2028\u2029]/)).toHaveLength(2);
  // Programs get it as it is.
  expect(body.alarms[0].detail).toBe(text);
});

it("what is critical and what is alone of its name comes first, and the rest is counted", async () => {
  const [many, refusal] = [newsOf("invoice_quarantined", "one"), newsOf("topic_paused", "arn")];
  const { text } = JSON.parse(alarmBody([...Array(25).fill(many), refusal], settings));
  const lines: string[] = text.split("\n");
  expect(lines).toHaveLength(21);
  expect(lines.map((line) => /topic_paused/.test(line)).indexOf(true)).toBe(0);
  expect(lines.at(-1)).toMatch(/\b6\b/);
  const open = newsOf("source_failing", "HTTP 503");
  const said = [
    open,
    { ...open, toldAt: at },
    { ...open, clearedAt: at },
    { ...open, isTest: true as const },
  ].map((one) => JSON.parse(alarmBody([one], settings)).text);
  await expectGolden("alarm-message", [...said, lines[0], lines[1], lines.at(-1)].join("\n"));
});

it("the form for strict receivers has a text and no other field", () => {
  const alarms = [newsOf("event_dead", "one")];
  const generic = JSON.parse(alarmBody(alarms, settings));
  expect(JSON.parse(alarmBody(alarms, { ...settings, ALARM_WEBHOOK_FORMAT: "text" }))).toEqual({
    text: generic.text,
  });
});
