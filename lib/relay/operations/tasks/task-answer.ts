import type { AnswerRefused, Report } from "../../answers/answer";
import type { NewTask } from "../../answers/task";
import type { Secrets } from "../../base/secrets";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { DocumentAnswer } from "../documents/document-answer";
import { newTask, type Submitting } from "./new-task";
import type { TaskUpstream, TaskWire } from "./platform";
import { failedTask, lostTask, noTask, refusedSubmission } from "./upstream-words";

/** An upstream's answer to a submission: the task that it has taken. */
export class TaskAnswer extends DocumentAnswer {
  private readonly made: { task: NewTask | null };

  constructor(given: Submitting, wire: TaskWire<unknown>, upstream: TaskUpstream<unknown>, secrets: Secrets) {
    const made: { task: NewTask | null } = { task: null };
    super((body) => {
      const text = body.toString("utf8");
      const json = parseJsonObject(text);
      if (!json) throw lostTask();
      const submitted = upstream.readSubmitted(json, given.submission.request);
      if (submitted.state.status === "FAILURE") throw failedTask(json);
      // A task without an id cannot be polled.
      if (submitted.upstreamId === "" && submitted.state.status !== "SUCCESS") throw noTask(json);
      made.task = newTask(given, submitted, (part) => secrets.redact(part));
      const rendered = JSON.stringify(wire.renderSubmitted(made.task.task, submitted));
      return { body: Buffer.from(secrets.redact(rendered)), usage: null, meters: null };
    });
    this.made = made;
  }

  protected override refuse(status: number, body: Buffer, retryAfter: string | undefined): AnswerRefused {
    return refusedSubmission(status, body, retryAfter);
  }

  override report(): Report {
    const report = super.report();
    return this.made.task ? { ...report, task: this.made.task } : report;
  }
}
