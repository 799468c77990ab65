/**
 * What fields are, in one sentence each. A key is the name of a field that means the same wherever it stands, or says where:
 * `Schema.field` by the id of a schema, or `parent.field` by the field around it. Those go first.
 */
export type Meanings = Readonly<Record<string, string>>;
