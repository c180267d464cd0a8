import type { OptionValues } from "@/lib/option/registry";
import { askProvider } from "./ask-provider";
import { type CodeExchange, type CodeGrant, cleanText, stableId, withParameters } from "./exchange";
import { answerUnusable, codeRefused, notConfigured } from "./refusals";
import type { OutsideIdentity } from "./types";

const DISPLAY_NAME_MAX = 20;

function endpoints(options: OptionValues) {
  const { GitHubServerAddress: site, GitHubApiAddress: api } = options;
  return { authorize: `${site}/login/oauth/authorize`, token: `${site}/login/oauth/access_token`, user: `${api}/user` };
}

async function requestToken(options: OptionValues, grant: CodeGrant): Promise<string> {
  if (options.GitHubClientId === "" || options.GitHubClientSecret === "") throw notConfigured("github");
  const { status, json } = await askProvider("github", endpoints(options).token, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_id: options.GitHubClientId,
      client_secret: options.GitHubClientSecret,
      code: grant.code,
    }),
  });
  // GitHub answers 200 with an error in the body for a code that it does not take.
  const token = json.access_token;
  if (status !== 200 || typeof token !== "string" || token === "") throw codeRefused("github");
  return token;
}

async function requestUser(options: OptionValues, token: string): Promise<OutsideIdentity> {
  const { status, json } = await askProvider("github", endpoints(options).user, {
    headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
  });
  // The numeric id: a login name can be given up and taken by somebody else.
  const id = typeof json.id === "number" ? stableId(json.id) : null;
  if (status !== 200 || id === null) throw answerUnusable("github");
  const displayName = cleanText(json.name, DISPLAY_NAME_MAX) || cleanText(json.login, DISPLAY_NAME_MAX);
  return { provider: "github", id, displayName, preferredUsername: null };
}

export const github: CodeExchange = {
  provider: "github",
  isBound: false,
  authorizeUrl: async (options, { state, redirectUri }) =>
    withParameters(endpoints(options).authorize, {
      client_id: options.GitHubClientId,
      redirect_uri: redirectUri,
      state,
      scope: "user:email",
    }),
  identify: async (options, grant) => requestUser(options, await requestToken(options, grant)),
};
