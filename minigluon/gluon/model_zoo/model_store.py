"""Files of trained parameters: their names, and verification against the published checksums.

MXNet's files are named NAME-HASH.params, where HASH is the beginning of the file's SHA-1. They are in the folder
`root`, by default 'models' in `data_dir()`: ~/.mxnet/models, or $MXNET_HOME/models. This module downloads nothing.
"""

import os

from ...base import ArgumentError, FileFormatError, MXNetError, data_dir, nearest
from ..utils import check_sha1
from .twins import own_file

__all__ = ["get_model_file", "purge"]

apache_repo_url = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"       # the URL of the published files

_model_sha1 = {
    "bert_12_768_12_book_corpus_wiki_en_cased": "5656dac6965b5054147b0375337d5a6a7a2ff832",
    "bert_12_768_12_book_corpus_wiki_en_uncased": "75cc780f085e8007b3bf6769c6348bb1ff9a3074",
    "bert_24_1024_16_book_corpus_wiki_en_cased": "4e685a966f8bf07d533bd6b0e06c04136f23f620",
    "bert_24_1024_16_book_corpus_wiki_en_uncased": "24551e1446180e045019a87fc4ffbf714d99c0b5",
    "gpt2_117m_openai_webtext": "26416f2ec2ab0c5f37e74dcec801f3e659546e03",
    "gpt2_345m_openai_webtext": "29173e25d2f3b187745bea6689693bb771862f81",
    "alexnet": "44335d1f0046b328243b32a26a4fbd62d9057b45",
    "densenet121": "f27dbf2dbd5ce9a80b102d89c7483342cd33cb31",
    "densenet161": "b6c8a95717e3e761bd88d145f4d0a214aaa515dc",
    "densenet169": "2603f878403c6aa5a71a124c4a3307143d6820e9",
    "densenet201": "1cdbc116bc3a1b65832b18cf53e1cb8e7da017eb",
    "inceptionv3": "ed47ec45a937b656fcc94dabde85495bbef5ba1f",
    "mobilenet0.25": "9f83e440996887baf91a6aff1cccc1c903a64274",
    "mobilenet0.5": "8e9d539cc66aa5efa71c4b6af983b936ab8701c3",
    "mobilenet0.75": "529b2c7f4934e6cb851155b22c96c9ab0a7c4dc2",
    "mobilenet1.0": "6b8c5106c730e8750bcd82ceb75220a3351157cd",
    "mobilenetv2_1.0": "36da4ff1867abccd32b29592d79fc753bca5a215",
    "mobilenetv2_0.75": "e2be7b72a79fe4a750d1dd415afedf01c3ea818d",
    "mobilenetv2_0.5": "aabd26cd335379fcb72ae6c8fac45a70eab11785",
    "mobilenetv2_0.25": "ae8f9392789b04822cbb1d98c27283fc5f8aa0a7",
    "resnet18_v1": "a0666292f0a30ff61f857b0b66efc0228eb6a54b",
    "resnet34_v1": "48216ba99a8b1005d75c0f3a0c422301a0473233",
    "resnet50_v1": "0aee57f96768c0a2d5b23a6ec91eb08dfb0a45ce",
    "resnet101_v1": "d988c13d6159779e907140a638c56f229634cb02",
    "resnet152_v1": "671c637a14387ab9e2654eafd0d493d86b1c8579",
    "resnet18_v2": "a81db45fd7b7a2d12ab97cd88ef0a5ac48b8f657",
    "resnet34_v2": "9d6b80bbc35169de6b6edecffdd6047c56fdd322",
    "resnet50_v2": "ecdde35339c1aadbec4f547857078e734a76fb49",
    "resnet101_v2": "18e93e4f48947e002547f50eabbcc9c83e516aa6",
    "resnet152_v2": "f2695542de38cf7e71ed58f02893d82bb409415e",
    "squeezenet1.0": "264ba4970a0cc87a4f15c96e25246a1307caf523",
    "squeezenet1.1": "33ba0f93753c83d86e1eb397f38a667eaf2e9376",
    "vgg11": "dd221b160977f36a53f464cb54648d227c707a05",
    "vgg11_bn": "ee79a8098a91fbe05b7a973fed2017a6117723a8",
    "vgg13": "6bc5de58a05a5e2e7f493e2d75a580d83efde38c",
    "vgg13_bn": "7d97a06c3c7a1aecc88b6e7385c2b373a249e95e",
    "vgg16": "e660d4569ccb679ec68f1fd3cce07a387252a90a",
    "vgg16_bn": "7f01cf050d357127a73826045c245041b0df7363",
    "vgg19": "ad2f660d101905472b83590b59708b71ea22b2e5",
    "vgg19_bn": "f360b758e856f1074a85abd5fd873ed1d98297c3",
}


def short_hash(name: str) -> str:
    """Return the first eight digits of the SHA-1 of a net's file.

    name: the name of the net in `get_model`.

    Raises ArgumentError for a net without a file from MXNet.

    >>> gluon.model_zoo.model_store.short_hash("resnet18_v1")
    'a0666292'
    """
    if name not in _model_sha1:
        converted = own_file(name)
        raise ArgumentError(f"There are no published parameters of {name!r}; they exist for: {', '.join(_model_sha1)}."
                            + (f" {converted}." if converted else nearest(name, _model_sha1)))
    return _model_sha1[name][:8]


def get_model_file(name: str, root: str | None = None) -> str:
    """Return the path of a net's file.

    name: the name of the net in `get_model`.
    root: the folder, by default `data_dir()`/models.

    Raises MXNetError if the file does not exist, and FileFormatError if it differs from the published file.

    >>> try:
    ...     gluon.model_zoo.model_store.get_model_file("resnet18_v1", root="nothing here")
    ... except mx.MXNetError as error:
    ...     print(str(error)[:12])
    nothing here
    """
    file = f"{name}-{short_hash(name)}"
    path = os.path.join(_folder(root), f"{file}.params")
    if not os.path.isfile(path):
        converted = own_file(name)
        raise MXNetError(f"{path} does not exist. {f'{converted}, or put' if converted else 'Put'} MXNet's own file "
                         f"there (it was published in {apache_repo_url}gluon/models/{file}.zip) or into a folder that "
                         "you pass as root=.")
    if not check_sha1(path, _model_sha1[name]):
        raise FileFormatError(f"the SHA-1 of {path} is not {_model_sha1[name]}: it is damaged, or has other "
                              "parameters. "
                              "Replace it with the published file, or read it with net.load_parameters(file).")
    return path


def purge(root: str | None = None) -> None:
    """Remove all files '*.params' from a folder.

    root: the folder, by default `data_dir()`/models.

    >>> nd.save("old.params", {"x": nd.ones((1,))})
    >>> gluon.model_zoo.model_store.purge(".")
    >>> import os
    >>> os.listdir()
    []
    """
    folder = _folder(root)
    for file in os.listdir(folder) if os.path.isdir(folder) else []:
        if file.endswith(".params"):
            os.remove(os.path.join(folder, file))


def _folder(root):
    return os.path.join(data_dir(), "models") if root is None else os.path.expanduser(root)
