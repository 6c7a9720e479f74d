/** How many run before the event loop looks at its sockets again. */
const EACH_TURN = 4;

const waiting: (() => void)[] = [];
let scheduled = false;

/**
 * Runs it in a later turn of the event loop, few in each. What takes long for many at once, such as reading
 * the answers of a burst, then keeps nobody's request from leaving.
 */
export function inTurn(work: () => void): void {
  waiting.push(work);
  if (scheduled) return;
  scheduled = true;
  setImmediate(runSome);
}

function runSome(): void {
  for (const work of waiting.splice(0, EACH_TURN)) work();
  scheduled = waiting.length > 0;
  if (scheduled) setImmediate(runSome);
}
