/**
 * What `work` gives within `ms`, else `late`; the work goes on, and its result is ignored.
 * @throws what `work` throws in time.
 */
export async function within<Value, Late>(
  work: Promise<Value>,
  ms: number,
  late: Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
