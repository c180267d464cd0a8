export { sweepCounters } from "../admission/limits/commands";
export { deleteOldUnknownKeys } from "../admission/refusals/unknown-key-commands";
export { sweepObjects } from "../base/upstream-objects/commands";
export { refundTotals } from "../operations/tasks/end-task";
export { sweepKeys } from "../pipeline/idempotency/commands";
export {
  type DisableOutcome,
  disableChannelAutomatically,
  disableKeyAutomatically,
  enableChannelAutomatically,
  tellRoots,
} from "../routing/channel-state-commands";
export { sweepCircuits } from "../routing/circuits/commands";
export { chooseTest } from "./channel-tests/choose-test";
export { type ChannelTest, testChannel } from "./channel-tests/test-channel";
export { pollOpenCharges } from "./stored/poll-open";
export { pollTasks } from "./tasks/poll-tasks";
