/** The examples that "insert template" writes into JSON fields (A229). */
export const TEMPLATES = {
  modelMapping: '{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}',
  statusCodeMapping: '{\n  "400": "500"\n}',
  paramOverride: '{\n  "temperature": 0\n}',
  costPrices: '{\n  "gpt-4o": { "input": 2.5, "output": 10, "cached": 1.25 },\n  "dall-e-3": { "per_call": 0.04 }\n}',
  setting: '{\n  "force_format": true\n}',
  region: '{\n  "default": "us-central1",\n  "claude-3-5-sonnet-20240620": "europe-west1"\n}',
  serviceAccount:
    '{\n  "type": "service_account",\n  "project_id": "my-project",\n  "private_key": "-----BEGIN PRIVATE KEY-----…",\n  "client_email": "weir@my-project.iam.gserviceaccount.com"\n}',
} as const;
