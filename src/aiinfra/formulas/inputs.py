"""What is not a short text, as work: texts that are searched, images, sound, and images that are generated."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    audio_rate, audio_tokens, b_vector, cell, corpus, d_model, d_vector, duration, image_flops, image_tokens, index_bytes, n_block, n_layer,
    one_flop, passage, passes, pixels_high, pixels_wide, shared_tokens, tokens, vectors,
)  # fmt: skip

passages_of_corpus = Formula(
    "corpus-passages", vectors, sympy.ceiling((corpus - shared_tokens) / (passage - shared_tokens)),
    says="Each passage after the first brings what it does not share with the one before.",
    holds="one text cut without regard to sentences; many texts have one incomplete passage each",
    valid=(shared_tokens < passage, shared_tokens < corpus),
)  # fmt: skip
Derivation(
    passages_of_corpus, sympy.ceiling((corpus - shared_tokens) / (passage - shared_tokens)),
    "Each passage brings $S_\\mathrm{pas} - S_\\mathrm{ov}$ new tokens, the first one all of its own; the last may be short.",
)  # fmt: skip

vectors_of_index = Formula(
    "index-bytes", index_bytes, vectors * d_vector * b_vector,
    says="One vector for each passage.",
    holds="vectors only, without the passages and without links that a faster search keeps",
)  # fmt: skip
Derivation(vectors_of_index, vectors * (d_vector * b_vector), "A vector has $d_\\mathrm{vec}$ elements.")

tokens_of_image = Formula(
    "image-tokens", image_tokens, sympy.ceiling(pixels_high / cell) * sympy.ceiling(pixels_wide / cell),
    says="One token for each square of pixels, whatever it shows.",
    holds="patches that are merged count as one square; sides are filled up to whole squares, or scaled to them before; "
    "marks of start, end and rows come on top",
)  # fmt: skip
Derivation(
    tokens_of_image, sympy.ceiling(pixels_high / cell) * sympy.ceiling(pixels_wide / cell),
    "Whole rows of squares, and whole squares in a row.",
)  # fmt: skip

tokens_of_sound = Formula(
    "audio-tokens", audio_tokens, sympy.ceiling(duration * audio_rate),
    says="Sound becomes tokens by its length, silence included.",
    holds="encoders that take pieces of a fixed length fill up the last one, so that the length is a multiple of it",
)  # fmt: skip
Derivation(tokens_of_sound, sympy.ceiling(duration * audio_rate), "A fixed number of tokens for each second.")

denoising = Formula(
    "denoising-flops", image_flops, 2 * one_flop * passes * (n_block * tokens + 2 * n_layer * d_model * tokens**2),
    says="Every pass takes all tokens of the image through all layers, and all pairs of them through attention.",
    holds="a transformer whose heads together are as wide as the model; every token sees every other; text beside the image counts "
    "among the tokens; $N_\\mathrm{b}$ are the weights that every token meets; encoder and decoder of pixels are left out",
    cites=("peebles2022dit",),
)  # fmt: skip
Derivation(
    denoising, passes * (2 * one_flop * n_block * tokens + 4 * one_flop * n_layer * d_model * tokens**2),
    "Two operations for each weight and token; four for each pair, layer and element, and there are $n_\\mathrm{t}^2$ pairs.",
).rewrite(2 * one_flop * passes * (n_block * tokens + 2 * n_layer * d_model * tokens**2), "Collect the factors.")  # fmt: skip
