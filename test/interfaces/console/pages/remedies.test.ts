import { expect, it } from "vitest";
import { hasWay } from "../../../../src/interfaces/console/pages/parts/ways.ts";
import { ALARM_NAMES, remedyOf } from "../../../../src/platform/alarms/alarm-definitions.ts";

const ABOUT = { source: "default", subject: "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11" };

it("there is a button or a link for what each alarm says to do, but for what only a terminal does", () => {
  const remedies = ALARM_NAMES.flatMap((name) =>
    [remedyOf(name, ABOUT) ?? [], remedyOf(name, null) ?? []].flat(),
  );
  const without = remedies.filter((remedy) => !hasWay(remedy)).map(({ operation }) => operation);
  expect([...new Set(without)]).toEqual(["doctor", "testAlarms"]);
});
