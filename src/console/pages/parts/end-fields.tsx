import { signal } from "@preact/signals";
import { zone } from "../kit/look.ts";
import { timeGiven } from "../kit/time.ts";
import { Choice, Input } from "./filters.tsx";

/** When something ends by itself, in minutes, as one chooses it. */
const ENDS = [
  ["15", "15 minutes"],
  ["60", "1 hour"],
  ["240", "4 hours"],
  ["1440", "1 day"],
  ["own", "At a time of your own"],
] as const;

/** What is chosen; of an input of type datetime-local, when it is a time of one's own. */
const end = signal("60");
const ownEnd = signal("");

/** Before one is asked. */
export function resetEnd(): void {
  end.value = "60";
  ownEnd.value = "";
}

/** null for no end. */
export function endChosen(): Date | null {
  if (end.value === "never") return null;
  return end.value === "own" ? timeGiven(ownEnd.value) : new Date(Date.now() + Number(end.value) * 60_000);
}

/** @param never what it says where there may be no end. */
export const EndFields = ({ never }: { never?: string }) => (
  <>
    <Choice
      label="Ends"
      value={end.value}
      any={null}
      choices={[...ENDS, ...(never === undefined ? [] : [["never", never] as const])]}
      onChange={(chosen) => {
        end.value = chosen;
      }}
    />
    {end.value === "own" && (
      <Input
        label="At"
        hint={zone.value}
        type="datetime-local"
        required
        value={ownEnd.value}
        onInput={(value) => {
          ownEnd.value = value;
        }}
      />
    )}
  </>
);
