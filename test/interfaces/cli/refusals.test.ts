import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { startHarness } from "../../support/relay.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ID = "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11";
const AWAY = { COLLECTION_API_URL: "http://127.0.0.1:1", COLLECTION_API_KEY: "hush-hush-key" };
const NOWHERE = { DATABASE_URL: "postgres://relay:hush-hush@127.0.0.1:1/relay" };
const WRONG = '{"title":"","amount":-5,"payerNmae":"hush-hush","invoiceBeneficiaries":[{"amount":"1"}]}';
const OCTOBER = "--from 2026-10-01 --to 2026-10-31";
const ENVIRONMENTS: Record<string, Record<string, string | undefined>> = { AWAY, NOWHERE, NONE: {} };

/** Command lines, with bars between, by exit code, the error's code, and what they run in. */
const REFUSED = `
2 usage NONE: migrat | serve --fast | invoice | erase 42 | dead retry abc
2 usage NONE: local-sns --port 70000 | serve --no-workers --workers-only | replay events
2 usage NONE: sandbox pay twelve
2 usage NONE: sandbox pay ${ID} --never --twice | certificate verify /nowhere/x.json
1 failed DATABASE: local-sns --port 0 --topic a%b
2 settings NONE: --settings /nowhere/.env doctor | migrate | callback-url | --settings .env.example serve
2 settings DATABASE: alarms test
3 not_found DATABASE: invoice ${ID} | callbacks show ${ID} | replay show ${ID}
3 not_found DATABASE: report payments ${OCTOBER} --source nowhere
3 not_found AWAY: api get-banks --source nosuch
4 database_away NOWHERE: migrate | status
4 provider_away AWAY: api get-banks
2 usage AWAY: api get-invoices | api get-invoice | api get-invoice 42 | api get-banks ${ID}
2 usage AWAY: api get-banks --data {"page":1} | api list-invoices ${ID} --data {"startDate":"2024-02-30"}
2 usage AWAY: api list-invoices ${ID} --data {"page":0} | api create-invoice --data {
2 usage AWAY: api add-linked-account --data {"linkedAccount":{"bankId":"044"}}
2 usage AWAY: api create-invoice --data [] | api create-invoice --data @/nowhere/request.json
2 usage AWAY: api create-invoice --data ${WRONG}
2 usage DATABASE: alarms close replay_faild
2 usage DATABASE: alarms --colour red | alarms --name sorce_failing | dead list --limit many
2 usage DATABASE: report payments --from 2026-10-31 --to 2026-10-01 | report sums ${OCTOBER}
2 usage DATABASE: report payments --from 2026-02-30 --to 2026-03-01
2 usage DATABASE: report payments ${OCTOBER} --out /nowhere/a.csv | report payments ${OCTOBER} --out /tmp/a.pdf
2 usage DATABASE: report payments ${OCTOBER} --format xlsx --out /tmp/a.csv`;

it("a command that is refused exits with its code, says why on stderr, and the same as data with --json", async () => {
  const DATABASE = (await startHarness()).environment();
  const said: string[] = [];
  for (const [, outcome, place = "", lines = ""] of REFUSED.matchAll(/^(\d \w+) (\w+): (.*)$/gm))
    for (const line of lines.split(" | ")) {
      const environment = { ...ENVIRONMENTS, DATABASE }[place];
      const plain = await runCli(line.split(" "), environment);
      const json = await runCli([...line.split(" "), "--json"], environment);
      const { code, message = "" } = JSON.parse(json.stdout).error ?? {};
      expect([line, `${plain.code} ${code}`, plain.stdout]).toEqual([line, outcome, ""]);
      expect([json.code, json.stderr], line).toEqual([plain.code, ""]);
      expect(plain.stderr, line).toContain(message.split("\n")[0]);
      expect(plain.stderr, line).not.toMatch(/^ {4}at |hush-hush/m);
      said.push(`$ invoice-relay ${line}\n${plain.stderr}`);
    }
  await expectGolden("refusals", said.join("\n"));
});

it("settings that are missing or wrong are named all at once, and never what a wrong one is", async () => {
  const wrong = {
    ...{ PORT: "70000", PUBLIC_URL: "http://relay.example.com", CONFIRM_TIMEOUT: "soon" },
    ...{ DATABASE_URL: "mysql://someone:hush-hush@localhost/x", CALLBACK_TOKENS: "hush-hush" },
  };
  const { code, stdout, stderr } = await runCli(["serve"], wrong);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  const missing = ["AWS_REGION", "COLLECTION_API_KEY", "COLLECTION_API_URL", "SNS_TOPIC_ARN"];
  for (const name of [...Object.keys(wrong), ...missing])
    expect(stderr).toMatch(new RegExp(`^  ${name} `, "m"));
  const file = join(await temporaryFolder(), "my.env");
  await writeFile(
    file,
    "# comment\nCALLBACK_TOKEN=hush-hush-0123456789abcd\nexport DATABSE_URL=x\n\nAPI_KEY=hush-hush\nCOLOUR=red\n",
  );
  const odd = await runCli(["--settings", file, "doctor"]);
  expect({ code: odd.code, stdout: odd.stdout }).toEqual({ code: 2, stdout: "" });
  expect(odd.stderr.match(/^ {2}\w+/gm)?.map((name) => name.trim())).toEqual([
    ...["API_KEY", "CALLBACK_TOKEN", "COLOUR", "DATABSE_URL"],
  ]);
  expect(stderr + odd.stderr).not.toContain("hush-hush");
  await expectGolden("wrong-settings", stderr + odd.stderr);
});
