import type { SettingsShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Facts, type Field, textField } from "../parts/fields.tsx";
import { Icon } from "../parts/icon.tsx";
import { Copy } from "../parts/notices.tsx";
import { Answered, Section } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Badge, None, Outside } from "../parts/values.tsx";

/** What the relay does with its settings; no secret is shown. */
export function SettingsShownPart() {
  const answer = useAnswer("/settings", {});
  return (
    <Answered answer={answer} what="settings">
      {(settings) => (
        <>
          <OnAndOff on={settings.on} off={settings.off} />
          <Section title="Callback URLs">
            <ul class="stack">
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
                    <p key={warning} class="line toned is-wait">
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

type Source = SettingsShown["sources"][number];

const SOURCE_FIELDS: readonly Field<Source>[] = [
  textField("Provider", "providerUrl"),
  { name: "Reconciled", show: (source) => <Reconciled source={source} /> },
  textField("Topic", "topicArn"),
  {
    name: "Topic of Test invoices",
    show: ({ testTopicArn }) =>
      testTopicArn === null ? <None says="held" /> : <Outside text={testTopicArn} />,
  },
];

const SETTING_FIELDS: readonly Field<SettingsShown["settings"][number]>[] = [
  { name: "Setting", show: ({ name }) => <code>{name}</code>, phone: "lead" },
  {
    name: "Value",
    show: ({ value, given }) =>
      value === null || value === "" ? (
        <None says={value === null ? "not set" : "empty"} />
      ) : (
        <span class={given ? "setting-value is-given" : "setting-value"}>
          <Outside text={value} />
        </span>
      ),
    kind: "text",
  },
  { name: "What it is for", show: ({ about }) => <WithCode text={about} />, kind: "wide" },
];

/** What stands between backticks is code. */
const WithCode = ({ text }: { text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

const RECONCILED = {
  on: ["good", "on"],
  none: ["plain", "off, by COLLECTION_IDS=none"],
  unset: ["bad", "off: COLLECTION_IDS is not set"],
} as const;

function Reconciled({ source: { reconciliation, collectionIds } }: { source: Source }) {
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
          <li key={what} class="line">
            <Badge state="on" /> {what}
          </li>
        ))}
        {off.map((what) => (
          <li key={what} class="line">
            <Badge state="off" /> {what}
          </li>
        ))}
      </ul>
    </Section>
  );
}
