import ts from "typescript";

/** Files in which "type" always means a channel type. Elsewhere logs, tasks and frames have types too. */
const ABOUT_CHANNELS =
  /^(lib\/(channel|model)\/|lib\/relay\/upstreams\/|components\/channel\/|server\/demo\/seed-demo\.ts$)/;
const NOT_PRODUCT_CODE = /(^|\/)(provider-catalogue|testing|migrations)\/|\.test\.tsx?$/;
const CHANNEL_LIKE = /(channel|channels|draft|upstream)$/i;
/** Names of tables keyed by channel type. */
const TABLE = /^(rows|typeRows|byType|channelTypes)$/;
const TYPES_MAX = 99;
/** Channel and key statuses use the numbers up to 3, so a table with only these keys is not a table of types. */
const STATES_MAX = 3;

const COMPARING = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
]);

export type Finding = { line: number; text: string };

/** Whether the rule applies to a file: product code outside the catalogue. */
export function isChecked(path: string): boolean {
  return /^(app|components|db|lib|server|tools\/import)\/.*\.tsx?$/.test(path) && !NOT_PRODUCT_CODE.test(path);
}

/** Finds channel types written as numbers. `path` is relative to the repository. */
export function findChannelTypeNumbers(path: string, source: string): Finding[] {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind);
  const isAboutChannels = ABOUT_CHANNELS.test(path);
  const found: Finding[] = [];
  const visit = (node: ts.Node): void => {
    if (isTypeNumber(node, isAboutChannels)) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ line, text: node.getText().split("\n")[0] ?? "" });
    } else ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isTypeNumber(node: ts.Node, isAboutChannels: boolean): boolean {
  const isType = (expression: ts.Node) => namesType(expression, isAboutChannels);
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    if (!COMPARING.has(operatorToken.kind)) return false;
    return (isType(left) && isFixed(right)) || (isType(right) && isFixed(left));
  }
  if (ts.isSwitchStatement(node)) {
    return isType(node.expression) && node.caseBlock.clauses.some((c) => ts.isCaseClause(c) && isFixed(c.expression));
  }
  if (ts.isCallExpression(node)) return isCallWithNumber(node, isType);
  if (ts.isPropertyAssignment(node)) return isAssigned(node, isAboutChannels);
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
    return isNamedNumber(node.name.text, node.initializer, isAboutChannels);
  }
  return isAboutChannels && isTable(node);
}

/** `eq(channels.type, 14)`, `[2, 5].includes(type)`, `rows.get(14)`. */
function isCallWithNumber(
  { expression, arguments: given }: ts.CallExpression,
  isType: (n: ts.Node) => boolean,
): boolean {
  if (given.some(isType) && given.some((one) => isFixed(one) || isNumbers(one))) return true;
  if (!ts.isPropertyAccessExpression(expression)) return false;
  const { expression: on, name } = expression;
  if (name.text === "includes") return isNumbers(on) && given.some(isType);
  const isLookUp = name.text === "get" || name.text === "has";
  return isLookUp && ts.isIdentifier(on) && TABLE.test(on.text) && given.some(isNumber);
}

/** `type: 14` where it means a channel type, and `channelType: 14` anywhere. */
function isAssigned(node: ts.PropertyAssignment, isAboutChannels: boolean): boolean {
  const name = ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : "";
  const isMeant = isTypeWord(name) || (name === "type" && (isAboutChannels || isChannelInsert(node)));
  return isMeant && (isNumber(node.initializer) || isNumbers(node.initializer));
}

/** `const GEMINI_TYPE = 24`, `const UNTESTABLE_TYPES = [2, 5]`. */
function isNamedNumber(name: string, value: ts.Expression, isAboutChannels: boolean): boolean {
  const isMeant = isTypeWord(name) || (isAboutChannels && /types?$/i.test(name));
  return isMeant && (isNumber(value) || isNumbers(value));
}

/** Sets, maps and objects whose keys are all possible type numbers. */
function isTable(node: ts.Node): boolean {
  if (ts.isObjectLiteralExpression(node)) {
    return areTypes(node.properties.map(({ name }) => name));
  }
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return false;
  const list = node.arguments?.[0];
  if (!list || !ts.isArrayLiteralExpression(list)) return false;
  if (node.expression.text === "Set") return areTypes(list.elements);
  if (node.expression.text !== "Map") return false;
  const keys = list.elements.flatMap((entry) => (ts.isArrayLiteralExpression(entry) ? entry.elements.slice(0, 1) : []));
  return areTypes(keys);
}

function areTypes(keys: readonly (ts.Node | undefined)[]): boolean {
  const isType = (key: ts.Node | undefined) => key !== undefined && isNumber(key);
  return keys.every(isType) && keys.some((key) => Number(key?.getText()) > STATES_MAX);
}

function isChannelInsert(node: ts.Node): boolean {
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (ts.isCallExpression(at) && /\.insert\(channels\)/.test(at.expression.getText())) return true;
  }
  return false;
}

const isTypeWord = (name: string): boolean => /^channel_?types?$/i.test(name);

function namesType(node: ts.Node, isAboutChannels: boolean): boolean {
  if (ts.isParenthesizedExpression(node)) return namesType(node.expression, isAboutChannels);
  // The table of names itself is no type.
  if (ts.isIdentifier(node) && node.text === "CHANNEL_TYPE") return false;
  if (ts.isIdentifier(node)) return isTypeWord(node.text) || (isAboutChannels && node.text === "type");
  if (!ts.isPropertyAccessExpression(node)) return false;
  const { name, expression } = node;
  if (isTypeWord(name.text)) return true;
  return name.text === "type" && (isAboutChannels || CHANNEL_LIKE.test(expression.getText()));
}

/** A number literal or a constant in capitals. */
const isFixed = (node: ts.Node): boolean =>
  isNumber(node) || (ts.isIdentifier(node) && /^[A-Z][A-Z0-9_]+$/.test(node.text));

const isNumber = (node: ts.Node): boolean =>
  ts.isNumericLiteral(node) && Number.isInteger(Number(node.text)) && Number(node.text) <= TYPES_MAX;

const isNumbers = (node: ts.Node): boolean =>
  ts.isArrayLiteralExpression(node) && node.elements.length > 0 && node.elements.every(isNumber);
