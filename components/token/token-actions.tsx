"use client";

import { Code, RefreshCw } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryState } from "nuqs";
import { useState } from "react";
import { drawerParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { RowActions, useCommonRowActions } from "@/components/data-table/row-actions";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { isHashOnly } from "@/lib/key-hint";
import { TOKEN_STATUS } from "@/lib/row-status";
import { deleteToken, revealToken, rotateToken, setTokenStatus } from "./actions";
import { CodeSnippets } from "./code-snippets";
import { NewKeyDialog, type ShownKey } from "./new-key-dialog";
import { TokenChat } from "./token-chat";

type TokenActionsProps = {
  token: { id: number; name: string; status: number; keyHint: string };
  serverAddress: string;
};

export function TokenActions({ token, serverAddress }: TokenActionsProps) {
  const t = useTranslations("token");
  const { toggle, remove } = useCommonRowActions();
  const { startTransition } = useListTransition();
  const { run } = useRunAction();
  const [, setEdit] = useQueryState(
    "edit",
    drawerParams.edit.withOptions({ shallow: false, history: "push", startTransition }),
  );
  const [rotated, setRotated] = useState<ShownKey | null>(null);
  const [snippetKey, setSnippetKey] = useState<string | null>(null);
  const { id, name } = token;
  const enabled = token.status === TOKEN_STATUS.enabled;
  const rotate = async () => {
    const result = await rotateToken({ id });
    if (result.ok) setRotated(result.data);
    return result;
  };
  const showSnippets = () => run(() => revealToken({ id }), setSnippetKey);
  return (
    <>
      <RowActions
        name={name}
        onEdit={() => setEdit(id)}
        actions={[
          toggle(enabled, () => setTokenStatus({ id, status: enabled ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled })),
          {
            id: "rotate",
            label: t("rotate"),
            icon: <RefreshCw aria-hidden />,
            success: t("rotated"),
            confirm: { title: t("rotateTitle", { name }), text: t("rotateText") },
            run: rotate,
          },
          remove({ title: t("deleteTitle", { name }), text: t("deleteText") }, () => deleteToken({ id })),
        ]}
      >
        {isHashOnly(token) ? null : (
          <>
            <TokenChat token={token} serverAddress={serverAddress} />
            <Button variant="ghost" size="icon" aria-label={t("snippetsOf", { name })} onClick={showSnippets}>
              <Code />
            </Button>
          </>
        )}
      </RowActions>
      <NewKeyDialog
        made={rotated ? [rotated] : []}
        title={t("rotatedTitle", { name })}
        text={t("rotatedText")}
        serverAddress={serverAddress}
        onClose={() => setRotated(null)}
      />
      <Modal
        open={snippetKey !== null}
        onClose={() => setSnippetKey(null)}
        title={t("snippetsTitle", { name })}
        className="max-w-2xl"
      >
        {snippetKey ? <CodeSnippets serverAddress={serverAddress} tokenKey={snippetKey} /> : null}
      </Modal>
    </>
  );
}
