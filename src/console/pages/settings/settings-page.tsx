import { CHANGES } from "../../../operate/views/alarms.ts";
import { text } from "../../../operate/views/view.ts";
import { type AuditEntry, get, may, post, type SettingsShown } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { visibleText } from "../kit/text.ts";
import { type Column, Facts, Table } from "../parts/fields.tsx";
import { useTask } from "../parts/form.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { fieldsOf } from "../parts/operations.ts";
import { Answered, Copy, notify, PageHead, Section, Tabs } from "../parts/page.tsx";
import { Badge, Button, Icon, None, Outside } from "../parts/values.tsx";
import { Upstreams } from "./upstreams.tsx";

export function SettingsPage({ rest: [tab] }: { rest: readonly string[] }) {
  const isAudit = tab === "audit" && may("readAuditLog");
  return (
    <>
      <PageHead title="Settings & audit" />
      <Tabs
        label="Settings or audit"
        tabs={[
          { to: "settings", title: "Settings" },
          ...(may("readAuditLog") ? [{ to: "settings/audit", title: "Audit log" }] : []),
        ]}
        current={isAudit ? "settings/audit" : "settings"}
      />
      {isAudit ? (
        <List list={ALL} />
      ) : (
        <>
          <Upstreams />
          <SettingsShownPart />
        </>
      )}
    </>
  );
}

const PAGE = 100;

const ALL: ListDefinition<AuditEntry> = {
  of: CHANGES,
  filters: fieldsOf("readAuditLog", ["actor", "action", "subject", "from", "to"]),
  keyOf: ({ id }) => String(id),
  async read(given, before, signal) {
    const query = { ...given, limit: PAGE, before: before === null ? undefined : Number(before) };
    const { entries } = await get("/audit", { query }, signal);
    const last = entries.at(-1);
    return { items: entries, next: last === undefined || entries.length < PAGE ? null : String(last.id) };
  },
};

function SettingsShownPart() {
  const answer = useAnswer("/settings", {});
  return (
    <Answered answer={answer} what="settings">
      {(settings) => (
        <>
          <Section title="On and off">
            <ul class="columns" style={{ "--least": "26rem", "--gap": "var(--s2) var(--s5)" }}>
              {[...settings.on, ...settings.off].map((what) => (
                <li key={what} class="line">
                  <Badge state={settings.on.includes(what) ? "on" : "off"} /> {what}
                </li>
              ))}
            </ul>
          </Section>
          <AlarmTest
            isSet={settings.settings.some(({ name, given }) => name === "ALARM_WEBHOOK_URL" && given)}
          />
          <Section title="Callback URLs">
            <ul class="stack">
              {settings.callbackUrls.map(({ source, url, warnings }) => (
                <li key={source} class="stack">
                  {settings.callbackUrls.length > 1 && <b>{visibleText(source)}</b>}
                  <p class="sheet line">
                    <code class="grow">{visibleText(url)}</code>
                    {!url.includes("***") && <Copy text={url} what={`the callback URL of ${source}`} />}
                  </p>
                  {url.includes("***") && (
                    <small>
                      Its token is a secret that your role may not see; an operator’s token shows it.
                    </small>
                  )}
                  {warnings.map((warning) => (
                    <p key={warning} class="line toned is-wait">
                      <Icon name="warning" /> {visibleText(warning)}
                    </p>
                  ))}
                </li>
              ))}
            </ul>
          </Section>
          <Section title="Sources">
            {settings.sources.map((source) => (
              <div key={source.name} class="sheet stack section">
                <h3>
                  <Outside text={source.name} />
                </h3>
                <Facts of={source} fields={SOURCE_FIELDS} />
              </div>
            ))}
          </Section>
          <Section title="All settings" aside={<small>version {settings.version}</small>}>
            <Table
              caption="All settings"
              fields={SETTING_FIELDS}
              rows={settings.settings}
              keyOf={({ name }) => name}
            />
          </Section>
        </>
      )}
    </Answered>
  );
}

/** Whether a message about an alarm would come through. */
function AlarmTest({ isSet }: { isSet: boolean }) {
  const { isBusy, run } = useTask();
  const send = async () => {
    const { problem } = await post("/alarms/test", {}).catch((error: Error) => ({ problem: error.message }));
    if (problem === null) notify("The message was taken: see whether it came.");
    else notify(visibleText(problem), { bad: true });
  };
  return (
    <Section title="Who is told of alarms">
      <div class="row">
        <p>
          {isSet
            ? "Open alarms are sent where ALARM_WEBHOOK_URL leads."
            : "Nobody is: ALARM_WEBHOOK_URL is not set. Open alarms are seen here alone."}
        </p>
        {isSet && may("testAlarms") && (
          <Button disabled={isBusy} onClick={() => void run(send)}>
            {isBusy ? "Sending…" : "Send a test message"}
          </Button>
        )}
      </div>
    </Section>
  );
}

const SOURCE_FIELDS: readonly Column<SettingsShown["sources"][number]>[] = [
  text("Provider", "providerUrl"),
  {
    label: "Reconciled",
    show({ reconciliation, collectionIds }) {
      const [tone, words] = RECONCILED[reconciliation];
      return (
        <>
          <Badge state={reconciliation} tone={tone} as={words} /> <code>{collectionIds.join(" ")}</code>
        </>
      );
    },
  },
  text("Topic", "topicArn"),
  {
    label: "Topic of Test invoices",
    show: ({ testTopicArn }) =>
      testTopicArn === null ? <None says="held" /> : <Outside text={testTopicArn} />,
  },
];

/** What stands between backticks is code. */
const withCode = (text: string) =>
  text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));

const SETTING_FIELDS: readonly Column<SettingsShown["settings"][number]>[] = [
  { label: "Setting", show: ({ name }) => <code>{name}</code>, phone: "lead" },
  {
    label: "Value",
    show: ({ value, given }) =>
      value === null || value === "" ? (
        <None says={value === null ? "not set" : "empty"} />
      ) : given ? (
        <b>
          <Outside text={value} />
        </b>
      ) : (
        <Outside text={value} />
      ),
    isLong: true,
  },
  { label: "What it is for", show: ({ about }) => withCode(about), isLong: true },
];

const RECONCILED = {
  on: ["good", "on"],
  none: ["plain", "off, by COLLECTION_IDS=none"],
  unset: ["bad", "off: COLLECTION_IDS is not set"],
} as const;
