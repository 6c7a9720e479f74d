import type { SettingsShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { visibleText } from "../kit/text.ts";
import { Copy, Empty } from "./page.tsx";
import { Icon } from "./values.tsx";

/** Before the first callback: what the provider has to be given. */
export function FirstCallback() {
  const { data } = useAnswer("/settings", {});
  return (
    <Empty title="Nothing yet: this is your callback URL">
      <p>
        Create your invoices with it. When somebody pays one, the provider calls it, and the payment shows up
        here by itself.
      </p>
      {data !== null && <CallbackUrls urls={data.callbackUrls} />}
    </Empty>
  );
}

/** What the provider is given, for each source, and what may keep it from calling. */
export const CallbackUrls = ({ urls }: { urls: SettingsShown["callbackUrls"] }) => (
  <ul class="stack">
    {urls.map(({ source, url, warnings }) => (
      <li key={source} class="stack">
        {urls.length > 1 && <b>{visibleText(source)}</b>}
        <p class="sheet line">
          <code class="grow">{visibleText(url)}</code>
          {!url.includes("***") && <Copy text={url} what={`the callback URL of ${source}`} />}
        </p>
        {url.includes("***") && (
          <small>Its token is a secret that your role may not see; an operator’s token shows it.</small>
        )}
        {warnings.map((warning) => (
          <p key={warning} class="line toned is-wait">
            <Icon name="warning" /> {visibleText(warning)}
          </p>
        ))}
      </li>
    ))}
  </ul>
);
