import { liveStatus } from "../api/live.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Badge } from "../parts/badge.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import { CLOSE } from "./alarm-acts.ts";
import { ALARMS_SHOWN, AlarmSubject, alarmKey, alarmName, DETAIL, SINCE } from "./alarms.tsx";
import { ChoosingTable } from "./choosing-table.tsx";
import { useReloadAfter } from "./use-reload-after.ts";

/** Every open alarm, with what to do. Most close by themselves when what they tell of is over. */
export function AlarmList() {
  const answer = useAnswer("/alarms", { query: { limit: ALARMS_SHOWN } });
  const open = liveStatus.value?.openAlarms.reduce((sum, { count }) => sum + count, 0);
  useReloadAfter(open, answer.reload);
  return (
    <Answered answer={answer} what="alarms">
      {({ total, items }) =>
        items.length === 0 ? (
          <Empty title="No alarm is open.">
            <p>What needs a person is told here, and where ALARM_WEBHOOK_URL leads.</p>
          </Empty>
        ) : (
          <ChoosingTable
            caption="Open alarms, the newest first"
            what="alarms"
            columns={[
              {
                head: "Alarm",
                cell: ({ name }) => <Badge state={name} tone="bad" />,
                kind: "text",
                phone: "lead",
              },
              DETAIL,
              { head: "About", cell: (alarm) => <AlarmSubject alarm={alarm} /> },
              SINCE,
            ]}
            rows={items}
            total={total}
            keyOf={alarmKey}
            nameOf={alarmName}
            acts={[CLOSE]}
            onDone={answer.reload}
          />
        )
      }
    </Answered>
  );
}
