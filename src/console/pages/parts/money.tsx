import { moneyText } from "../kit/money-text.ts";
import { visibleText } from "../kit/visible-text.ts";

/** An amount, its digits aligned; a dash where there is none. */
export function Money({ amount }: { amount: string | null }) {
  if (amount === null) return <None />;
  return <span class="money">{visibleText(moneyText(amount))}</span>;
}

/** Where there is nothing to show. */
export function None({ says = "none" }: { says?: string }) {
  return (
    <span class="none">
      <span aria-hidden="true">–</span>
      <span class="unseen">{says}</span>
    </span>
  );
}
