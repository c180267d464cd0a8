import type { OptionValues } from "@/lib/option/registry";
import { askProvider } from "./ask-provider";
import { basicAuthorization, type CodeExchange, type CodeGrant, cleanText, stableId, withParameters } from "./exchange";
import { answerUnusable, codeRefused, notConfigured } from "./refusals";
import type { OutsideIdentity } from "./types";

const DISPLAY_NAME_MAX = 20;

function endpoints(options: OptionValues) {
  const site = options.LinuxDOServerAddress;
  return { authorize: `${site}/oauth2/authorize`, token: `${site}/oauth2/token`, user: `${site}/api/user` };
}

async function requestToken(options: OptionValues, grant: CodeGrant): Promise<string> {
  const { LinuxDOClientId: id, LinuxDOClientSecret: secret } = options;
  if (id === "" || secret === "") throw notConfigured("linuxdo");
  const { status, json } = await askProvider("linuxdo", endpoints(options).token, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      authorization: basicAuthorization(id, secret),
    },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: grant.code,
      redirect_uri: grant.redirectUri,
    }).toString(),
  });
  const token = json.access_token;
  if (status !== 200 || typeof token !== "string" || token === "") throw codeRefused("linuxdo");
  return token;
}

async function requestUser(options: OptionValues, token: string): Promise<OutsideIdentity> {
  const { status, json } = await askProvider("linuxdo", endpoints(options).user, {
    headers: { authorization: `Bearer ${token}` },
  });
  const id = stableId(json.id);
  if (status !== 200 || id === null) throw answerUnusable("linuxdo");
  const displayName = cleanText(json.name, DISPLAY_NAME_MAX) || cleanText(json.username, DISPLAY_NAME_MAX);
  return { provider: "linuxdo", id, displayName, preferredUsername: null };
}

/** connect.linux.do; endpoints and parameters as in contract §9.4. */
export const linuxdo: CodeExchange = {
  provider: "linuxdo",
  isBound: false,
  authorizeUrl: async (options, { state, redirectUri }) =>
    withParameters(endpoints(options).authorize, {
      response_type: "code",
      client_id: options.LinuxDOClientId,
      redirect_uri: redirectUri,
      state,
    }),
  identify: async (options, grant) => requestUser(options, await requestToken(options, grant)),
};
