import { runServerCommand } from "../run-built.mjs";

export const doctor = {
  summary: "looks whether this installation can run, and says what to do; changes nothing",
  details: "Works beside a running Weir and without one. Exit code 1 when there is a problem. Prints no secret.",
  options: {
    json: { type: "boolean", description: "as JSON: { problems, findings: [{ check, level, text, advice }] }" },
    "mail-to": { type: "string", value: "ADDRESS", description: "also sends a test message there" },
    "egress-url": { type: "string", value: "URL", description: "calls this instead of https://api.openai.com/" },
  },
  run: (values) => runServerCommand("doctor", values, []),
};
