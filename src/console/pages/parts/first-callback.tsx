import { useAnswer } from "../api/use-answer.ts";
import { visibleText } from "../kit/text.ts";
import { Copy } from "./notices.tsx";
import { Empty } from "./page.tsx";

/** Before the first callback: what the provider has to be given. */
export function FirstCallback() {
  const { data } = useAnswer("/settings", {});
  return (
    <Empty title="Nothing yet: this is your callback URL">
      <p>
        Create your invoices with it. When somebody pays one, the provider calls it, and the payment shows up
        here by itself.
      </p>
      {data?.callbackUrls.map(({ source, url, warnings }) => (
        <div key={source} class="callback-url">
          {data.callbackUrls.length > 1 && <small>{source}</small>}
          <p class="sheet line">
            <code>{visibleText(url)}</code>
            {!url.includes("***") && <Copy text={url} what="the callback URL" />}
          </p>
          {url.includes("***") && (
            <small>Its token is a secret that your role may not see; an operator’s token shows it.</small>
          )}
          {warnings.map((warning) => (
            <small key={warning}>{visibleText(warning)}</small>
          ))}
        </div>
      ))}
    </Empty>
  );
}
