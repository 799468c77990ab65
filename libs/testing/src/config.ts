/** A Postgres to test against instead of the embedded one; connects as a role that may create databases. */
export const databaseUrlForTests = process.env.DATABASE_URL_FOR_TESTS;

/** The address at which the Jest run provides its Postgres; set by `libs/testing/jest/global-setup.mjs`. */
export const postgresOfRun = process.env.PARLEY_TEST_POSTGRES;
