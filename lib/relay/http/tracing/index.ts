export { checkTracing, startTracing } from "./start";
export { processTracing, type Tracing } from "./trace";
