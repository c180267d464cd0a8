import { address, line, type OptionDefinition } from "../definition";

/** An address whose default is the official service, also when it is left empty. */
const service = (official: string) => address.transform((value) => value || official);

const GITHUB = "https://github.com";
const GITHUB_API = "https://api.github.com";
const LINUXDO = "https://connect.linux.do";
const SCOPES = "openid profile email";

/** Addresses of the sign-in providers. The API of a GitHub Enterprise Server is at `https://{host}/api/v3`. */
export const oauthOptions = {
  GitHubServerAddress: {
    schema: service(GITHUB),
    default: GITHUB,
    delicate: true,
    running: "none",
    card: "github",
    control: "url",
  },
  GitHubApiAddress: {
    schema: service(GITHUB_API),
    default: GITHUB_API,
    delicate: true,
    running: "none",
    card: "github",
    control: "url",
  },
  LinuxDOServerAddress: {
    schema: service(LINUXDO),
    default: LINUXDO,
    delicate: true,
    running: "none",
    card: "linuxdo",
    control: "url",
  },
  "oidc.scopes": {
    schema: line.transform((value) => value || SCOPES),
    default: SCOPES,
    delicate: true,
    running: "none",
    card: "oidc",
  },
} as const satisfies Record<string, OptionDefinition>;
