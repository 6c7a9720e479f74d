import { liveStatus } from "../api/live.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Answered, Empty } from "../parts/states.tsx";
import { ASK_AGAIN, CLOSE } from "./alarm-acts.ts";
import { ALARMS_SHOWN, AlarmSubject, alarmKey, alarmName, DETAIL, SINCE } from "./alarms.tsx";
import { ChoosingTable } from "./choosing-table.tsx";
import { useReloadAfter } from "./use-reload-after.ts";

/** Payments whose answers are odd: they count all the same, and somebody should know. */
export function AnomalyList() {
  const answer = useAnswer("/alarms", { query: { name: "invoice_anomaly", limit: ALARMS_SHOWN } });
  const open = liveStatus.value?.openAlarms.find(({ name }) => name === "invoice_anomaly");
  useReloadAfter(liveStatus.value === null ? undefined : (open?.count ?? 0), answer.reload);
  return (
    <Answered answer={answer} what="anomalies">
      {({ total, items }) =>
        items.length === 0 ? (
          <Empty title="No anomalies.">
            <p>Here stand payments whose amount changed after payment, or whose sums do not add up.</p>
          </Empty>
        ) : (
          <ChoosingTable
            caption="Anomalies, the newest first"
            what="anomalies"
            columns={[
              { head: "Payment", cell: (alarm) => <AlarmSubject alarm={alarm} />, phone: "lead" },
              DETAIL,
              SINCE,
            ]}
            rows={items}
            total={total}
            keyOf={alarmKey}
            nameOf={alarmName}
            acts={[ASK_AGAIN, CLOSE]}
            onDone={answer.reload}
          />
        )
      }
    </Answered>
  );
}
