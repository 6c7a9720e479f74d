import type { AnyRemedy } from "../../../../platform/errors/remedy.ts";
import { Link } from "../kit/router.tsx";
import { ActButton } from "./acts.tsx";
import { perform } from "./operations.ts";
import { ACTS, WAYS } from "./ways.ts";

interface RemedyProps {
  of: AnyRemedy & { why?: string };
  onDone?: () => void;
}

/** Shows a remedy as a link or a button; nothing for remedies that only a terminal has. */
export function RemedyShown({ of: { operation, args, why }, onDone }: RemedyProps) {
  // Of chosen payments it is done from here; refused callbacks are looked at first.
  const isAct = operation in ACTS || "invoiceIds" in ((args as { filters?: object }).filters ?? {});
  const way = isAct ? undefined : WAYS[operation]?.(args as Record<string, string>);
  if (way !== undefined) {
    const [to, title] = way;
    return (
      <Link to={to} class="button">
        {why ?? title}
      </Link>
    );
  }
  if (!isAct) return null;
  const title = why ?? ACTS[operation] ?? "";
  return (
    <ActButton
      {...{ operation, title, question: `${title}?`, isMain: why !== undefined }}
      run={async (reason) => {
        await perform(operation, { ...args, reason });
        onDone?.();
        return "Done.";
      }}
    />
  );
}

/** The next steps of a result, from its view. */
export const Remedies = ({ of, onDone }: { of: readonly RemedyProps["of"][]; onDone: () => void }) => (
  <>
    {of.map((remedy) => (
      <RemedyShown key={JSON.stringify(remedy)} of={remedy} onDone={onDone} />
    ))}
  </>
);
