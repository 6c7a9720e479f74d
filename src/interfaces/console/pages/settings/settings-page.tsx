import { CHANGES } from "../../../../operations/views/alarms.ts";
import { ON_AND_OFF, SETTINGS_SHOWN } from "../../../../operations/views/settings.ts";
import { type AuditEntry, get, may, post } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { visibleText } from "../kit/text.ts";
import { Result } from "../parts/fields.tsx";
import { useTask } from "../parts/form.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { fieldsOf } from "../parts/operations.ts";
import { Answered, Copy, notify, PageHead, Section, Tabs } from "../parts/page.tsx";
import { Button, Icon } from "../parts/values.tsx";
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
          <Result of={settings} view={ON_AND_OFF} />
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
          <Result of={settings} view={SETTINGS_SHOWN} />
          <p class="section quiet">Version {settings.version}</p>
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
    <Section title="Alarm webhook">
      <div class="row">
        <p>
          {isSet
            ? "Open alarms are sent where ALARM_WEBHOOK_URL leads."
            : "ALARM_WEBHOOK_URL is not set, so open alarms are shown in the console only."}
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
