import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startAlarmReceiver } from "../../test/support/alarm-receiver.ts";
import { NAMES, startConsoleEnvironment } from "./console-environment.ts";
import { Operator } from "./operator.ts";
import { standHere } from "./stand.ts";

const ALARMS = 230;

const stand = standHere();
let person: Operator;
beforeAll(async () => {
  // More than one page shows; of two names.
  await stand.environment.query(
    `insert into alarm (name, source, subject, detail, raised_at, last_raised_at)
     select case when n % 10 = 0 then 'invoice_unanswered' else 'invoice_anomaly' end, 'default',
       gen_random_uuid(), 'It is odd.', now(), now() from generate_series(1, ${ALARMS}) as n`,
  );
  person = await stand.person("operate");
});

const open = "select count(*)::int as n from alarm where cleared_at is null and name = $1";

describe("alarms by hand", () => {
  it("are one line a cause on Now, which leads to its own", async () => {
    const { page } = person;
    const cause = page
      .getByRole("listitem")
      .filter({ hasText: "207 invoices with something odd about them" });
    await cause.getByText("warning").waitFor();
    await person.press(cause.getByRole("link", { name: "Open anomalies" }));
    await page.waitForURL("**/console/attention/anomalies");
    await page.getByText("Shown: 200 of 207").waitFor();
    await person.visit("Now");
    const other = page.getByRole("listitem").filter({ hasText: "23 invoices get no usable answer" });
    await person.press(other.getByRole("link", { name: "Open alarms" }));
    await page.waitForURL("**/console/attention/alarms?name=invoice_unanswered");
    await page.getByText("Shown: 23").waitFor();
  });

  it("are noted and snoozed until a time, with a reason", async () => {
    const { page } = person;
    await person.open("attention/alarms?name=invoice_unanswered");
    await person.choose(page.getByRole("row").nth(1).getByRole("checkbox"));
    await person.press(page.getByRole("button", { name: "Note" }));
    await page.getByRole("dialog").getByLabel("Note").fill("Ada asks the hoster.");
    await person.confirm("Note", "So that nobody asks twice.");
    await page.getByRole("row").filter({ hasText: "Ada asks the hoster." }).waitFor();
    await person.choose(page.getByRole("row").nth(1).getByRole("checkbox"));
    await person.press(page.getByRole("button", { name: "Snooze" }));
    await person.select(page.getByLabel("Ends"), "4 hours");
    await person.confirm("Snooze", "The hoster is on it.");
    await page.getByRole("row").filter({ hasText: "snoozed until" }).waitFor();
    await person.keep("alarms-noted-and-snoozed");
    await stand.environment.until(
      "select actor from audit_entry where action = 'alarm.snooze'",
      [],
      [{ actor: `admin:${NAMES.operate}` }],
    );
  });

  it("are closed all that match, not the first page of them, and no others", async () => {
    const { page } = person;
    await person.open("attention/alarms?name=invoice_anomaly");
    await person.choose(page.getByRole("checkbox", { name: "Choose all that are shown" }));
    await person.press(page.getByRole("button", { name: "Close all 207" }));
    await person.confirm("Close 207", "The provider explained them.");
    await stand.environment.until(open, ["invoice_anomaly"], [{ n: 0 }]);
    await stand.environment.until(open, ["invoice_unanswered"], [{ n: 23 }]);
    expect(person.complaints).toEqual([]);
  });

  it("are told to nobody where no webhook is set, and the page says so", async () => {
    await person.visit("Settings & audit");
    await person.page.getByText("Nobody is: ALARM_WEBHOOK_URL is not set.").waitFor();
    expect(await person.page.getByRole("button", { name: "Send a test message" }).count()).toBe(0);
  });

  it("that are told somewhere can be tried: the page sends a test message, and says what came of it", async () => {
    const receiver = await startAlarmReceiver();
    const environment = await startConsoleEnvironment({ ALARM_WEBHOOK_URL: receiver.url });
    onTestFinished(() => environment.stop());
    await using admin = await Operator.arrive(stand.browser, environment);
    await admin.signIn("admin");
    const press = async () => {
      await admin.visit("Settings & audit");
      await admin.press(admin.page.getByRole("button", { name: "Send a test message" }));
    };
    await press();
    await admin.page.getByText("The message was taken: see whether it came.").waitFor();
    expect(receiver.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^TEST of the alarm webhook/),
    ]);
    receiver.behaviour = 500;
    await press();
    await admin.page.getByText("it answered 500").waitFor();
  });
});
