import type { SettingsShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Badge } from "../parts/badge.tsx";
import { Copy } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { None } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { Facts, Section } from "../parts/page-head.tsx";
import { Answered } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";

/** What the relay does with its settings; no secret is shown. */
export function SettingsShownPart() {
  const answer = useAnswer("/settings", {});
  return (
    <Answered answer={answer} what="settings">
      {(settings) => (
        <>
          <OnAndOff on={settings.on} off={settings.off} />
          <Section title="Callback URLs">
            <ul class="plain-list">
              {settings.callbackUrls.map(({ source, url, warnings }) => (
                <li key={source}>
                  <b>
                    <Outside text={source} />
                  </b>
                  <p>
                    <code class="settings-url">{url}</code>
                    {!url.includes("***") && <Copy text={url} what={`the callback URL of ${source}`} />}
                  </p>
                  {warnings.map((warning) => (
                    <p key={warning} class="settings-warning">
                      <Icon name="warning" /> {warning}
                    </p>
                  ))}
                </li>
              ))}
            </ul>
          </Section>
          <Section title="Sources">
            {settings.sources.map((source) => (
              <div key={source.name} class="sheet settings-source">
                <h3>
                  <Outside text={source.name} />
                </h3>
                <Facts
                  facts={[
                    ["Provider", <Outside text={source.providerUrl} />],
                    ["Reconciled", <Reconciled source={source} />],
                    ["Topic", <Outside text={source.topicArn} />],
                    [
                      "Topic of Test invoices",
                      source.testTopicArn === null ? (
                        <None says="held" />
                      ) : (
                        <Outside text={source.testTopicArn} />
                      ),
                    ],
                  ]}
                />
              </div>
            ))}
          </Section>
          <Section title="All settings" aside={<small>version {settings.version}</small>}>
            <Table
              caption="All settings"
              columns={[
                {
                  head: "Setting",
                  cell: ({ name }) => <code class="setting-name">{name}</code>,
                  phone: "lead",
                },
                {
                  head: "Value",
                  cell: ({ value, given }) =>
                    value === null || value === "" ? (
                      <None says={value === null ? "not set" : "empty"} />
                    ) : (
                      <span class={given ? "setting-value is-given" : "setting-value"}>
                        <Outside text={value} />
                      </span>
                    ),
                  kind: "text",
                },
                { head: "What it is for", cell: ({ about }) => <WithCode text={about} />, kind: "wide" },
              ]}
              rows={settings.settings}
              keyOf={({ name }) => name}
            />
          </Section>
        </>
      )}
    </Answered>
  );
}

/** What stands between backticks is code. */
const WithCode = ({ text }: { text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

const RECONCILED = {
  on: ["good", "on"],
  none: ["plain", "off, by COLLECTION_IDS=none"],
  unset: ["bad", "off: COLLECTION_IDS is not set"],
} as const;

function Reconciled({
  source: { reconciliation, collectionIds },
}: {
  source: SettingsShown["sources"][number];
}) {
  const [tone, words] = RECONCILED[reconciliation];
  return (
    <>
      <Badge state={reconciliation} tone={tone} as={words} />
      {collectionIds.map((id) => (
        <code key={id} class="collection-id">
          {id}
        </code>
      ))}
    </>
  );
}

function OnAndOff({ on, off }: Pick<SettingsShown, "on" | "off">) {
  return (
    <Section title="On and off">
      <ul class="settings-switches">
        {on.map((what) => (
          <li key={what}>
            <Badge state="on" tone="good" /> {what}
          </li>
        ))}
        {off.map((what) => (
          <li key={what}>
            <Badge state="off" /> {what}
          </li>
        ))}
      </ul>
    </Section>
  );
}
