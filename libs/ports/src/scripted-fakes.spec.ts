import { ScriptedEmbeddings, ScriptedFileStore, ScriptedReranker, ScriptedVectorStore } from '.';
import { describeEmbeddings, describeFileStore, describeReranker, describeVectorStore } from './suites';

describeEmbeddings('the scripted fake', () => new ScriptedEmbeddings());
describeFileStore('the scripted fake', () => new ScriptedFileStore());
describeReranker('the scripted fake', () => new ScriptedReranker());
describeVectorStore('the scripted fake', () => new ScriptedVectorStore());
