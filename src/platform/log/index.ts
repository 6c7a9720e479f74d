export { createLogger, type Logger } from "./log.ts";
export { endWith, isTraceparent, type Span, type SpanStart, type Tracer } from "./trace.ts";
